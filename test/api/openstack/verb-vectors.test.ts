import { describe, expect, test } from 'vitest';
import { provisionStates } from '../../../src/domain/node/provision-machine.ts';
import { neededBy, type RecordedNode, recordedDriver, vectors } from '../../domain/node/recorded.ts';
import { corrected, type VerbRow, verbRows } from '../../domain/node/verb-rows.ts';
import { faultOf, forEach, sharedBaremetal } from './site.ts';

const { shared, ask, recorded, finishWork } = sharedBaremetal([
  '--drivers-without-inspect-abort',
  recordedDriver,
  '--max-concurrent-deploy',
  '1000000',
  '--max-concurrent-clean',
  '1000000',
]);

const argumentNames: Readonly<Record<string, string>> = {
  cleanSteps: 'clean_steps',
  serviceSteps: 'service_steps',
  rescuePassword: 'rescue_password',
};

/** A verb with what it cannot do without, as a client sends it. */
const bodyOf = (verb: string): object => {
  const needed = Object.entries(neededBy[verb] ?? {}).map(([name, value]) => [argumentNames[name], value]);
  return { target: verb, ...Object.fromEntries(needed) };
};

async function answerTo(row: VerbRow, id: string): Promise<VerbRow['expect']> {
  const answer = await ask('PUT', `nodes/${id}/states/provision`, bodyOf(row.verb));
  if (answer.status !== 202) return { http: answer.status, error: faultOf(answer)! };
  expect([answer.text, answer.headers.get('location')]).toEqual([
    '',
    `${shared().url}/baremetal/v1/nodes/${id}/states`,
  ]);
  const now = (await ask('GET', `nodes/${id}`)).body;
  await finishWork(id);
  const final = (await ask('GET', `nodes/${id}/states`)).body;
  return {
    http: 202,
    new_provision_state: now.provision_state,
    new_target: now.target_provision_state,
    lock_held: now.reservation !== null,
    final_provision_state: final.provision_state,
    final_target: final.target_provision_state,
    ...(final.last_error !== null && { final_last_error: final.last_error }),
  };
}

/** Recorded sentences are Ironic's own, so only that there is one is compared. */
function comparable(answer: VerbRow['expect'], row: VerbRow): object {
  const { http, error, new_provision_state, new_target, lock_held, final_last_error } = answer;
  const final = corrected(row).final_provision_state !== undefined && {
    final_provision_state: answer.final_provision_state,
    final_target: answer.final_target,
    has_error: final_last_error !== undefined,
  };
  return { http, error, new_provision_state, new_target, lock_held, ...final };
}

describe('every verb in every state, with and without target, maintenance and lock, over HTTP', () => {
  /** Verbs that are refused leave a node as it is, so those of one state are tried on one node. */
  const nodes = new Map<string, Promise<string>>();
  const nodeFor = (row: VerbRow): Promise<string> => {
    if (corrected(row).http === 202) return recorded(row);
    const { verb: _, expect: __, ...node } = row;
    const key = JSON.stringify(node);
    const known = nodes.get(key) ?? recorded(row);
    nodes.set(key, known);
    return known;
  };

  test.each(provisionStates)('%s', async (state) => {
    const rows = verbRows.filter((row) => row.provision_state === state);
    const answers = await forEach(rows, async (row) => answerTo(row, await nodeFor(row)));
    const differing = rows
      .map((row, index) => ({
        row,
        recorded: comparable(corrected(row), row),
        here: comparable(answers[index]!, row),
      }))
      .filter(({ recorded, here }) => JSON.stringify(recorded) !== JSON.stringify(here));
    expect(differing).toEqual([]);
    expect(rows.length).toBeGreaterThan(80);
  });

  test('what was refused left nothing behind', async () => {
    const before = await forEach([...nodes.values()], async (id) => (await shared().get(`/v1/nodes/${await id}`)).body);
    const stored = before.map(({ updatedAt, revision }) => ({ updatedAt, revision }));
    for (const { updatedAt, revision } of stored) {
      expect(Date.parse(updatedAt)).toBe(Date.parse('2026-01-01T00:00:00.000Z') + revision);
    }
    expect(stored.length).toBeGreaterThan(200);
  });
});

interface Scenarios {
  microversions: Record<string, { from_minor: number; http: number; error: string | null }[]>;
  cases: { case: string; node: RecordedNode | null; body: object; result: Recorded }[];
}

interface Recorded {
  http: number;
  error: string | null;
  now?: { provision_state: string; target_provision_state: string | null };
}

const { microversions, cases } = vectors<Scenarios>('provision-scenarios.json');

describe('a verb with these arguments, on this node', () => {
  /** Other sites than this one, what drivers check for themselves, and where Ironic broke down. */
  const elsewhere =
    /^(noworker|concurrency limit|sync: .* (active|deleted)$|rebuild without image|abort inspect wait ok)/;
  const played = cases.filter(({ case: name, node }) => node && !elsewhere.test(name));

  test.each(played)('$case', async ({ node, body, result: { http, error, now } }) => {
    const id = await recorded(node!);
    const answer = await ask('PUT', `nodes/${id}/states/provision`, body);
    expect([answer.status, faultOf(answer)]).toEqual([http, error]);
    if (!now) return;
    const { provision_state, target_provision_state } = (await ask('GET', `nodes/${id}/states`)).body;
    // A manual cleaning stays one: docs/decisions/0201-node-ironic-defects.md
    const isManual = node!.provision_state === 'clean hold' && node!.target_provision_state === 'manageable';
    const target = isManual ? 'manageable' : now.target_provision_state;
    expect([provision_state, target_provision_state]).toEqual([now.provision_state, target]);
  });
});

describe('verbs in each version', () => {
  test.each(Object.entries(microversions))('%s', async (what, steps) => {
    const [verb, state] = what.replace(' (illegal)', '').split(' @ ') as [string, VerbRow['provision_state']];
    const tries = steps.flatMap(({ from_minor, http, error }, index) => {
      const last = (steps[index + 1]?.from_minor ?? 116) - 1;
      return [from_minor, last].map((minor) => ({ minor, http, error }));
    });
    const answers = await forEach(tries, async ({ minor }) => {
      const id = await recorded({ provision_state: state });
      const answer = await ask('PUT', `nodes/${id}/states/provision`, bodyOf(verb), `1.${minor}`);
      return { minor, http: answer.status, error: faultOf(answer) };
    });
    expect(answers).toEqual(tries);
  });
});
