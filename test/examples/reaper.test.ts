import { join } from 'node:path';
import { type ClientOptions, createClient } from 'stackledger/client';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { Known } from '../../examples/reaper/known.ts';
import { PreemptibleRoom } from '../../examples/reaper/preemptible-room.ts';
import { Reaper, type ReaperOptions } from '../../examples/reaper/reaper.ts';
import type { RoomMaker } from '../../examples/reaper/room.ts';
import { loadConfig } from '../../src/config.ts';
import { startStackledger } from '../../src/main.ts';
import { temporaryFolder } from '../cli/ledger-file.ts';
import { nthId } from '../support/ledger.ts';

const retry = { attempts: 2, firstDelayMs: 5, maxDelayMs: 20 };
const important = nthId(1);
const another = nthId(2);
const cheap = nthId(11);
const cheapToo = nthId(12);

/** A ledger with a cloud around it: the test is scheduler, builder and user. */
async function cloud(flags: readonly string[] = []) {
  const always = ['--store', 'memory:', '--port', '0', '--log-level', 'silent', '--use-pending-state'];
  const ledger = await startStackledger(loadConfig([...always, ...flags], {}));
  onTestFinished(() => ledger.stop());
  const folder = await temporaryFolder();
  const client = createClient({ baseUrl: ledger.url, retry });

  /** The scheduler finds a host, and the guest is built there. */
  const place = async (id: string): Promise<void> => {
    const server = client.server(id);
    await server.execute({ type: 'ServerScheduled', data: { host: 'compute-1' } });
    await server.execute({ type: 'ReportBuildProgress', data: { taskState: 'spawning' } });
    await server.execute({ type: 'ReportBuildSuccess', data: {} });
  };
  const findNoHost = (id: string) =>
    client.server(id).execute({ type: 'ReportBuildFailure', data: { reason: 'NoValidHost', message: 'full' } });
  const run = async (id: string): Promise<void> => {
    await client.server(id).execute({ type: 'CreateServer', data: { metadata: { preemptible: 'true' } } });
    await place(id);
  };
  const wait = async (id: string, metadata: Record<string, string> = {}): Promise<void> => {
    await client.server(id).execute({ type: 'CreateServer', data: { metadata } });
    await findNoHost(id);
  };
  /** The host's agent has removed the guest. */
  const remove = (id: string) =>
    client.server(id).execute({ type: 'ReportActionSuccess', data: { action: 'DeleteServer' } });

  const typesOf = async (id: string): Promise<string[]> => {
    const { events } = await client.eventPage({ kind: 'server', id, limit: 1000 });
    return events.map(({ type }) => type);
  };
  const until = (id: string, vmState: string) =>
    eventually(async () => expect((await client.server(id).state()).state.vmState).toBe(vmState));
  const untilLeaving = (id: string) =>
    eventually(async () =>
      expect((await client.server(id).state()).state.operation).toMatchObject({ action: 'DeleteServer' }),
    );

  /** A reaper that runs; a reaper of the same name goes on where that one was. */
  const reaper = async (holder: string, how: Partial<ReaperOptions> & Partial<ClientOptions> = {}) => {
    const { fetch = globalThis.fetch, ...options } = how;
    const own = createClient({ baseUrl: ledger.url, actor: holder, retry, fetch });
    const known = await Known.load(join(folder, `${holder}.json`));
    const log = vi.fn<(line: string) => void>();
    const stopping = new AbortController();
    const running = new Reaper({
      client: own,
      known,
      holder,
      roomMaker: new PreemptibleRoom({ client: own, known, pollMs: 10 }),
      maxAttempts: 2,
      firstBackOffMs: 40,
      maxBackOffMs: 200,
      log,
      ...options,
    }).run(stopping.signal);
    const stop = async (): Promise<void> => {
      stopping.abort();
      await running;
    };
    onTestFinished(stop);
    return { stop, log, said: () => log.mock.calls.map(([line]) => line).join('\n') };
  };
  return { client, place, findNoHost, run, wait, remove, typesOf, until, untilLeaving, reaper };
}

const eventually = <T>(check: () => Promise<T>): Promise<T> => vi.waitFor(check, { timeout: 10_000, interval: 20 });

/** A line to the ledger that can be cut, as when a process is killed: nothing it would say any more arrives. */
function line() {
  let cut = false;
  const fetch: typeof globalThis.fetch = (input, init) =>
    cut ? Promise.reject(new TypeError('cut')) : globalThis.fetch(input, init);
  return {
    fetch,
    cut: (): void => {
      cut = true;
    },
  };
}

const count = (types: readonly string[], type: string): number => types.filter((one) => one === type).length;

describe('a server for which no host has room', () => {
  it('runs in place of the oldest preemptible one', async () => {
    const { client, run, wait, place, remove, until, untilLeaving, reaper, typesOf } = await cloud();
    await run(cheap);
    await run(cheapToo);
    await reaper('reaper-1');
    await wait(important);

    await untilLeaving(cheap);
    const { state } = await client.server(important).state();
    expect(state).toMatchObject({ vmState: 'pending', pending: { lease: { holder: 'reaper-1' } } });
    await remove(cheap);
    await until(important, 'building');
    await place(important);

    expect((await client.server(important).state()).state).toMatchObject({ vmState: 'active', host: 'compute-1' });
    expect((await client.server(cheapToo).state()).state).toMatchObject({ vmState: 'active', operation: null });
    expect(count(await typesOf(important), 'ServerCreated')).toBe(1);
  });

  it('is helped although it waited before the reaper was started', async () => {
    const { run, wait, remove, until, untilLeaving, reaper } = await cloud();
    await run(cheap);
    await wait(important);
    await reaper('reaper-1');
    await untilLeaving(cheap);
    await remove(cheap);
    await until(important, 'building');
  });

  it('is left to others while there is nothing to delete, and helped once there is', async () => {
    const { client, run, wait, remove, until, untilLeaving, reaper, typesOf } = await cloud();
    await reaper('reaper-1');
    await wait(important);
    await eventually(async () => expect(count(await typesOf(important), 'PendingClaimEnded')).toBeGreaterThan(1));
    expect((await client.server(important).state()).state.vmState).toBe('pending');
    await run(cheap);
    await untilLeaving(cheap);
    await remove(cheap);
    await until(important, 'building');
  });

  it('keeps its claim for as long as the victim takes', async () => {
    const { run, wait, remove, until, untilLeaving, reaper, typesOf } = await cloud(['--pending-claim-ms', '1200']);
    await run(cheap);
    await wait(important);
    await reaper('reaper-1');
    await untilLeaving(cheap);
    await eventually(async () => expect(count(await typesOf(important), 'PendingServerClaimed')).toBeGreaterThan(3));
    await remove(cheap);
    await until(important, 'building');
    expect(await typesOf(important)).not.toContain('PendingClaimEnded');
  });

  it('that its user deletes stays deleted', async () => {
    const { client, run, wait, remove, untilLeaving, reaper, typesOf, until } = await cloud([
      '--pending-claim-ms',
      '300',
    ]);
    await run(cheap);
    await run(cheapToo);
    await reaper('reaper-1');
    await wait(important);
    await untilLeaving(cheap);
    await client.server(important).execute({ type: 'DeleteServer', data: {} });
    await remove(cheap);

    await wait(another); // the reaper is still there for others
    await untilLeaving(cheapToo);
    await remove(cheapToo);
    await until(another, 'building');
    await expect(client.server(important).state()).rejects.toMatchObject({ status: 410 });
    expect((await typesOf(important)).at(-1)).toBe('ServerDeleted');
  });
});

describe('a server that cannot be helped', () => {
  it('is given up after so many rebuilds, and its first fault is kept', async () => {
    const { client, run, wait, findNoHost, remove, until, untilLeaving, reaper } = await cloud();
    for (const id of [cheap, cheapToo, nthId(13)]) await run(id);
    const { said } = await reaper('reaper-1', { maxAttempts: 2 });
    await wait(important);
    for (const victim of [cheap, cheapToo]) {
      await untilLeaving(victim);
      await remove(victim);
      await until(important, 'building');
      await findNoHost(important);
    }
    await until(important, 'error');
    const { state } = await client.server(important).state();
    expect(state.faults[0]).toMatchObject({ kind: 'NoValidHost', message: 'full' });
    expect((await client.server(nthId(13)).state()).state.operation).toBeNull();
    expect(said()).toContain('no host after 2 rebuilds');
    const { events } = await client.eventPage({ kind: 'server', id: important, type: 'ServerStateChanged' });
    expect(events.at(-1)!.metadata).toMatchObject({ commandType: 'ResetServerState', actor: { id: 'reaper-1' } });
  });

  it('is given up at once if it is preemptible itself', async () => {
    const { run, wait, until, reaper, client } = await cloud();
    await run(cheap);
    await reaper('reaper-1');
    await wait(important, { preemptible: 'true' });
    await until(important, 'error');
    expect((await client.server(cheap).state()).state.operation).toBeNull();
  });
});

describe('two reapers', () => {
  it('do not work on the same server', async () => {
    const { wait, until, place, reaper } = await cloud();
    let working = 0;
    let most = 0;
    const worked: string[] = [];
    const roomMaker: RoomMaker = {
      async makeRoom(_server, { serverId }) {
        worked.push(serverId);
        most = Math.max(most, ++working);
        await new Promise((resolve) => setTimeout(resolve, 300));
        working--;
        return { verdict: 'made' };
      },
    };
    await reaper('reaper-1', { roomMaker });
    await reaper('reaper-2', { roomMaker });
    await wait(important);
    await until(important, 'building');
    await place(important);
    await until(important, 'active');
    expect(most).toBe(1);
    expect(worked).toEqual([important]);
  });

  it('take different victims for different servers', async () => {
    const { run, wait, remove, until, untilLeaving, reaper } = await cloud();
    await run(cheap);
    await run(cheapToo);
    await wait(important);
    await wait(another);
    await reaper('reaper-1', { parallel: 1 });
    await reaper('reaper-2', { parallel: 1 });
    for (const victim of [cheap, cheapToo]) await untilLeaving(victim);
    for (const victim of [cheap, cheapToo]) await remove(victim);
    for (const id of [important, another]) await until(id, 'building');
  });

  it('take over from each other when one dies, and the victim that it chose counts', async () => {
    const { client, run, wait, remove, until, untilLeaving, reaper } = await cloud(['--pending-claim-ms', '400']);
    await run(cheap);
    await run(cheapToo);
    await wait(important);
    const { fetch, cut } = line();
    await reaper('reaper-1', { fetch });
    await untilLeaving(cheap);
    cut();
    await reaper('reaper-2');
    await remove(cheap);
    await until(important, 'building');
    expect((await client.server(cheapToo).state()).state).toMatchObject({ vmState: 'active', operation: null });
  });
});

describe('a reaper that is started again while it waits for a victim', () => {
  it.each(['stopped', 'killed'])('(it was %s) goes on with that victim', async (how) => {
    const { client, run, wait, remove, until, untilLeaving, reaper, typesOf } = await cloud();
    await run(cheap);
    await run(cheapToo);
    await wait(important);
    const { fetch, cut } = line();
    const first = await reaper('reaper-1', { fetch });
    await untilLeaving(cheap);
    if (how === 'killed') cut();
    await first.stop();
    const { pending } = (await client.server(important).state()).state;
    expect(pending?.lease?.holder).toBe(how === 'killed' ? 'reaper-1' : undefined);

    await reaper('reaper-1');
    await remove(cheap);
    await until(important, 'building');
    expect((await client.server(cheapToo).state()).state).toMatchObject({ vmState: 'active', operation: null });
    expect(count(await typesOf(important), 'BuildStarted')).toBe(2);
  });

  it('does not rebuild a server that somebody else has got to run meanwhile', async () => {
    const { client, run, wait, place, remove, untilLeaving, reaper, typesOf } = await cloud();
    await run(cheap);
    await wait(important);
    const first = await reaper('reaper-1');
    await untilLeaving(cheap);
    await first.stop();
    await client.server(important).execute({ type: 'RebuildServer', data: {} });
    await place(important);
    await remove(cheap);
    const before = await typesOf(important);

    await reaper('reaper-1');
    await wait(another);
    await eventually(async () => expect(await typesOf(another)).toContain('PendingServerClaimed'));
    expect(await typesOf(important)).toEqual(before);
  });
});
