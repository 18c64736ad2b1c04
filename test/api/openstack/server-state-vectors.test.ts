import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, test } from 'vitest';
import { taskStates, vmStates } from '../../../src/domain/server/states.ts';
import { type Answer, sharedLedger } from '../support.ts';
import { forEach, patient } from './site.ts';

const read = <T>(name: string): T =>
  JSON.parse(readFileSync(new URL(`../../vectors/nova/${name}`, import.meta.url), 'utf8')) as T;

/** Nova's own tables, held against a server in every pair of vm_state and task_state. */
const shared = sharedLedger(patient);

const call = (method: string, path: string, body?: object, version = '2.104'): Promise<Answer> =>
  shared().ask(`/compute/v2.1/${path}`, {
    method,
    headers: { 'openstack-api-version': `compute ${version}`, ...(body && { 'content-type': 'application/json' }) },
    ...(body && { body: JSON.stringify(body) }),
  });

interface Pair {
  readonly vmState: string;
  readonly taskState: string | null;
}

/** A server that an outside system is seen to have. */
async function observed(state: object, id: string = randomUUID()): Promise<string> {
  const data = { source: 'nova', ...state };
  const { status, text } = await shared().post(`/v1/servers/${id}/commands`, { type: 'ObserveServer', data });
  if (status !== 200) throw new Error(text);
  return id;
}

const nameOf = ({ vmState, taskState }: Pair): string => `${vmState}/${taskState ?? '-'}`;
const everyPair = vmStates.flatMap((vmState) => [null, ...taskStates].map((taskState) => ({ vmState, taskState })));

describe('servers are found by status as Nova finds them, over HTTP', () => {
  interface Selection {
    readonly vm_states: readonly string[];
    readonly task_states: readonly string[];
  }
  const map = read<{
    pairs: { vm_state: string; task_state: string | null; status: string }[];
    reverse_filter: Record<string, Selection>;
    reverse_filter_multi: Record<string, Selection>;
    filter_false_positives: Record<string, { selected_but_renders_as_other: [string, string, string][] }>;
  }>('status-map.json');

  // A server that was deleted is on no list that does not ask for deleted ones.
  const living = everyPair.filter(({ vmState }) => vmState !== 'deleted');
  beforeAll(async () => {
    await forEach(living, (pair) => observed({ ...pair, host: 'host-1' }));
  });

  interface Found {
    readonly pair: string;
    readonly status: string;
  }

  /** In a version that says nothing against a word that is no status. */
  async function foundBy(statuses: readonly string[], version: string): Promise<Found[]> {
    const query = statuses.map((status) => `status=${status}`).join('&');
    const { status: code, body, text } = await call('GET', `servers/detail?${query}`, undefined, version);
    if (code !== 200) throw new Error(text);
    return body.servers.map((server: Record<string, string | null>) => ({
      pair: `${server['OS-EXT-STS:vm_state']}/${server['OS-EXT-STS:task_state'] ?? '-'}`,
      status: server.status,
    }));
  }

  const selects = ({ vm_states, task_states }: Selection, { vmState, taskState }: Pair): boolean =>
    vm_states.includes(vmState) && (task_states.includes('default') || task_states.includes(taskState ?? ''));

  test('each pair is shown by the status that Nova has for it', async () => {
    const { body } = await call('GET', 'servers/detail');
    const shown = new Map<string, string>();
    for (const server of body.servers) {
      shown.set(`${server['OS-EXT-STS:vm_state']}/${server['OS-EXT-STS:task_state'] ?? '-'}`, server.status);
    }
    const pairs = map.pairs.filter(({ vm_state }) => vm_state !== 'deleted');
    const here = pairs.map(({ vm_state, task_state }) => shown.get(`${vm_state}/${task_state ?? '-'}`));
    expect(here).toEqual(pairs.map(({ status }) => status));
  });

  test.each(Object.entries({ ...map.reverse_filter, ...map.reverse_filter_multi }))('%s', async (statuses, wanted) => {
    const found = await foundBy(statuses.split('+'), '2.37');
    // To this version a server that waits for capacity is in ERROR, and found as such.
    const knownAsError = found.filter(({ pair }) => !living.some((known) => nameOf(known) === pair));
    expect(knownAsError).toEqual([]);
    const expected = living.filter((pair) => pair.vmState !== 'pending' && selects(wanted, pair)).map(nameOf);
    expect([...new Set(found.map(({ pair }) => pair))].sort()).toEqual(expected.sort());
  });

  test.each(Object.entries(map.filter_false_positives))(
    '%s finds more than it says, as Nova does',
    async (status, row) => {
      const found = await foundBy([status], '2.94');
      const others = found.filter((server) => server.status !== status).map((server) => [server.pair, server.status]);
      const recorded = row.selected_but_renders_as_other.map(([vm, task, shown]) => [`${vm}/${task}`, shown]);
      expect(others.sort()).toEqual(recorded.sort());
    },
  );
});

describe('actions are accepted in the states in which Nova accepts them, over HTTP', () => {
  interface Guard {
    readonly allowed_vm_states?: readonly string[] | 'any';
    readonly allowed_task_states?: readonly (string | null)[] | 'any';
    readonly must_have_launched?: boolean;
    readonly message_wrong_state?: string;
  }
  const { actions } = read<{ actions: Record<string, Guard> }>('action-guards.json');
  const image = randomUUID();

  /** The request that asks for an action, under the name it has in the table, and what it is answered when accepted. */
  const asked: Readonly<Record<string, readonly [body: object, accepted: number]>> = {
    confirmResize: [{ confirmResize: null }, 204],
    revertResize: [{ revertResize: null }, 202],
    'reboot(SOFT)': [{ reboot: { type: 'SOFT' } }, 202],
    'reboot(HARD)': [{ reboot: { type: 'HARD' } }, 202],
    rebuild: [{ rebuild: { imageRef: image } }, 202],
    resize: [{ resize: { flavorRef: '2' } }, 202],
    migrate: [{ migrate: null }, 202],
    'createImage(image-backed)': [{ createImage: { name: 'copy' } }, 202],
    'os-start': [{ 'os-start': null }, 202],
    'os-stop': [{ 'os-stop': null }, 202],
    createBackup: [{ createBackup: { name: 'daily', backup_type: 'daily', rotation: 1 } }, 202],
    pause: [{ pause: null }, 202],
    unpause: [{ unpause: null }, 202],
    suspend: [{ suspend: null }, 202],
    resume: [{ resume: null }, 202],
    rescue: [{ rescue: null }, 202],
    unrescue: [{ unrescue: null }, 202],
    shelve: [{ shelve: null }, 202],
    shelveOffload: [{ shelveOffload: null }, 202],
    unshelve: [{ unshelve: null }, 202],
    'os-migrateLive': [{ 'os-migrateLive': { host: null, block_migration: 'auto' } }, 202],
    evacuate: [{ evacuate: {} }, 202],
    forceDelete: [{ forceDelete: null }, 202],
    restore: [{ restore: null }, 202],
    changePassword: [{ changePassword: { adminPass: 'x' } }, 202],
    lock: [{ lock: null }, 202],
    unlock: [{ unlock: null }, 202],
    'os-resetState': [{ 'os-resetState': { state: 'error' } }, 202],
  };

  /** Every vm_state at rest, and of the tasks those that some guard names and one that none does. */
  const tasks = [null, 'migrating', 'rebooting', 'deleting'];
  const sample = everyPair.filter(({ vmState, taskState }) => vmState !== 'deleted' && tasks.includes(taskState));
  const includes = (allowed: readonly (string | null)[] | 'any' | undefined, value: string | null): boolean =>
    allowed === undefined || allowed === 'any' || allowed.includes(value);

  const launchedAt = '2025-12-31T12:00:00.000Z';

  test.each(Object.entries(asked))('%s', async (name, [body, accepted]) => {
    const guard = actions[name]!;
    const answers = await forEach(sample, async (pair) => {
      const id = await observed({ ...pair, launchedAt, host: 'host-1' });
      const { status, body: answer } = await call('POST', `servers/${id}/action`, body);
      return [nameOf(pair), status, status < 400 ? null : Object.keys(answer)[0]];
    });
    const expected = sample.map((pair) => {
      const { vmState, taskState } = pair;
      // A server that waits for capacity is rebuilt here, although Nova's guard forbids it.
      const rebuilt = name === 'rebuild' && vmState === 'pending';
      const isAllowed =
        (rebuilt || includes(guard.allowed_vm_states, vmState)) && includes(guard.allowed_task_states, taskState);
      return isAllowed ? [nameOf(pair), accepted, null] : [nameOf(pair), 409, 'conflictingRequest'];
    });
    expect(answers).toEqual(expected);
  });

  const worded = Object.entries(asked).filter(
    ([name]) => actions[name]!.message_wrong_state?.startsWith('Cannot') && name !== 'rebuild',
  );
  test.each(worded)('%s is refused in the words of Nova', async (name, [body]) => {
    const id = await observed({ vmState: 'pending', host: 'host-1' });
    const { message } = (await call('POST', `servers/${id}/action`, body)).body.conflictingRequest;
    expect(message.replace(id, '11111111-1111-1111-1111-111111111111')).toBe(actions[name]!.message_wrong_state);
  });

  test('a server that is locked, or on no host, is said to be so', async () => {
    const nowhere = await observed({ vmState: 'stopped', launchedAt });
    const started = await call('POST', `servers/${nowhere}/action`, { 'os-start': null });
    expect(started.body.conflictingRequest).toEqual({ code: 409, message: `Instance ${nowhere} is not ready` });
  });

  test('an action on a server that is not there, or that is none, is answered 404 and 400', async () => {
    const statuses = await forEach(Object.values(asked), async ([body]) => [
      (await call('POST', `servers/${randomUUID()}/action`, body)).status,
      (await call('POST', `servers/${randomUUID()}/action`, { nonsense: null })).status,
    ]);
    expect(statuses).toEqual(statuses.map(() => [404, 400]));
  });
});

describe('two clients that change a server at the same moment', () => {
  test('keep each the change of the other', async () => {
    const id = await observed({ vmState: 'active', host: 'host-1' });
    const words = Array.from({ length: 8 }, (_, index) => `w${index}`);
    const answers = await Promise.all(
      words.flatMap((word) => [
        call('PUT', `servers/${id}/tags/${word}`),
        call('POST', `servers/${id}/metadata`, { metadata: { [word]: 'x' } }),
      ]),
    );
    expect(answers.map(({ status }) => status)).toEqual(words.flatMap(() => [201, 200]));
    const { tags, metadata } = (await shared().get(`/v1/servers/${id}`)).body;
    expect([tags.toSorted(), Object.keys(metadata).sort()]).toEqual([words, words]);
  });
});
