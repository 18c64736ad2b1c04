import { describe, expect, test } from 'vitest';
import { aggregates } from '../../src/domain/aggregates.ts';
import type { Flow, FlowEvent } from '../../src/domain/flows/flow.ts';
import { FlowRunner, type FlowsObserver } from '../../src/runtime/flows.ts';
import { openStore } from '../../src/store/open-store.ts';
import { flaky } from '../support/flaky-store.ts';
import { collect, nthId, openLedger, streamTypes } from '../support/ledger.ts';

const [source, target] = [nthId(1), nthId(2)];

/** Whatever one port is called, another is called after it. */
const sameName: Flow = {
  name: 'same-name',
  types: ['PortUpdated'],
  react: ({ resource, data }) =>
    resource.id === source
      ? [{ resource: { kind: 'port', id: target }, type: 'UpdatePort', data: (data as { changes: object }).changes }]
      : [],
};

type Ledger = Awaited<ReturnType<typeof openLedger>>;

function follow(ledger: Pick<Ledger, 'store' | 'runtime'>, flows: readonly Flow[], observer: FlowsObserver = {}) {
  const runner = new FlowRunner({ ...ledger, aggregates, flows, observer });
  runner.start();
  return runner;
}

const namesOf = async (ledger: Ledger, id: string): Promise<unknown[]> =>
  (await collect(ledger.store.readStream(`port-${id}`)))
    .filter((event) => event.type === 'PortUpdated')
    .map((event) => (event.data.changes as { name: string }).name);

async function twoPorts(options: Parameters<typeof openLedger>[0] = {}) {
  const ledger = await openLedger(options);
  for (const id of [source, target]) await ledger.execute('port', id, 'CreatePort');
  return ledger;
}

describe('a process manager', () => {
  test('gives its commands in the order of the events, each with its cause', async () => {
    const ledger = await twoPorts();
    const runner = follow(ledger, [sameName]);
    const names = Array.from({ length: 50 }, (_, n) => `name ${n}`);
    await Promise.all(
      names.map((name) => ledger.execute('port', source, 'UpdatePort', { name }, { correlationId: `to ${name}` })),
    );
    await runner.idle();
    expect(await namesOf(ledger, target)).toEqual(names);

    const causes = (await collect(ledger.store.readStream(`port-${source}`))).filter((e) => e.type === 'PortUpdated');
    const effects = (await collect(ledger.store.readStream(`port-${target}`))).filter((e) => e.type === 'PortUpdated');
    for (const [index, effect] of effects.entries()) {
      expect(effect.metadata).toMatchObject({
        actor: { type: 'system', id: 'same-name' },
        $causationId: causes[index]!.id,
        $correlationId: causes[index]!.metadata.$correlationId,
      });
    }
    await runner.stop();
  });

  test('stops also while it looks for whom an event concerns, and time stands still', async () => {
    const ledger = await twoPorts();
    let giveUp: ((reason: Error) => void) | undefined;
    const find = () =>
      new Promise<never>((_, reject) => {
        giveUp = reject;
      });
    const search = () => [{ kind: 'port', host: 'compute-1', vifType: 'binding_failed' }] as const;
    const runner = new FlowRunner({ ...ledger, aggregates, flows: [{ ...sameName, search }], find });
    runner.start();
    await ledger.execute('port', source, 'UpdatePort', { name: 'a' });
    await expect.poll(() => giveUp).toBeDefined();
    const stopped = runner.stop();
    giveUp!(new Error('those who are asked are stopping as well'));
    await stopped;
  });

  test('goes on after a restart where it stood, and does nothing twice', async () => {
    const ledger = await twoPorts();
    const first = follow(ledger, [sameName]);
    await ledger.execute('port', source, 'UpdatePort', { name: 'before' });
    await first.idle();
    await first.stop();
    await ledger.execute('port', source, 'UpdatePort', { name: 'while nobody looked' });

    const second = follow(ledger, [sameName]);
    await second.idle();
    await second.stop();
    expect(await namesOf(ledger, target)).toEqual(['before', 'while nobody looked']);
  });

  test('that lost its checkpoint finds what it did by the keys of its commands', async () => {
    const ledger = await twoPorts();
    for (const name of ['a', 'b', 'a']) await ledger.execute('port', source, 'UpdatePort', { name });
    const first = follow(ledger, [sameName]);
    await first.idle();
    await first.stop();
    await ledger.store.saveCheckpoint({ name: 'flows', position: '0000000000000000' });

    const again = follow(ledger, [sameName]);
    await again.idle();
    await again.stop();
    expect(await namesOf(ledger, target)).toEqual(['a', 'b', 'a']);
  });

  test('tells of a command that is refused, and goes on', async () => {
    const ledger = await openLedger();
    await ledger.execute('port', source, 'CreatePort');
    const refused: string[] = [];
    const runner = follow(ledger, [sameName], {
      commandRefused: (flow, event, command, refusal) =>
        refused.push(`${flow}: ${event.type} -> ${command.type}: ${refusal.slug}`),
    });
    await ledger.execute('port', source, 'UpdatePort', { name: 'nobody listens' });
    await runner.idle();
    await ledger.execute('port', target, 'CreatePort');
    await ledger.execute('port', source, 'UpdatePort', { name: 'somebody listens' });
    await runner.idle();
    expect(refused).toEqual(['same-name: PortUpdated -> UpdatePort: port-not-found']);
    expect(await namesOf(ledger, target)).toEqual(['somebody listens']);
    await runner.stop();
  });

  test('tries again while the ledger cannot be written', async () => {
    const disk = flaky(await openStore('memory:', { clock: 'manual', now: () => 0 }));
    const ledger = await twoPorts({ store: disk.store });
    const failed: string[] = [];
    await ledger.execute('port', source, 'UpdatePort', { name: 'kept' });
    disk.failNext(1);
    const runner = follow(ledger, [sameName], { reactionFailed: (event) => failed.push(event.type) });
    await runner.idle();
    await ledger.clock.advance(1000);
    await runner.idle();
    expect(failed).toEqual(['PortUpdated']);
    expect(await namesOf(ledger, target)).toEqual(['kept']);
    await runner.stop();
  });

  test('keeps an event of a newer program for that one, and goes on with the others', async () => {
    const ledger = await twoPorts();
    const { store } = ledger;
    const event = { id: nthId(9), type: 'PortUpdated', v: 7, time: '2026-01-01T00:00:00.000Z', metadata: '{}' };
    const data = '{"changes":{"name":"from a newer program"}}';
    await store.append({ stream: `port-${nthId(3)}`, expectedRevision: -1, events: [{ ...event, data }] });
    const failed: string[] = [];
    const runner = follow(ledger, [sameName], {
      reactionFailed: ({ type }, error) => failed.push(`${type}: ${error}`),
    });
    await ledger.execute('port', source, 'UpdatePort', { name: 'goes on' });
    await runner.idle();
    await runner.stop();
    expect(await namesOf(ledger, target)).toEqual(['goes on']);
    expect(failed).toEqual([expect.stringContaining('PortUpdated is of version 7')]);
    expect((await store.loadCheckpoint('flows')) ?? '').not.toBe(await store.head());
  });

  test('that is stopped while it waits for the disk has not forgotten what it waited with', async () => {
    const disk = flaky(await openStore('memory:', { clock: 'manual', now: () => 0 }));
    const ledger = await twoPorts({ store: disk.store });
    await ledger.execute('port', source, 'UpdatePort', { name: 'kept' });
    disk.failNext(1);
    const runner = follow(ledger, [sameName]);
    await runner.idle();
    await runner.stop();

    const again = follow(ledger, [sameName]);
    await again.idle();
    await again.stop();
    expect(await namesOf(ledger, target)).toEqual(['kept']);
  });

  test('sees the resources it asked for, one leading to the next', async () => {
    const ledger = await twoPorts();
    await ledger.execute('port', source, 'UpdatePort', { deviceId: target });
    const seen: unknown[] = [];
    const follower: Flow = {
      name: 'follower',
      types: ['PortDeleted'],
      needs: (event: FlowEvent, known) => {
        const { deviceId } = (known.stateOf(event.resource) as { deviceId?: string }) ?? {};
        return [event.resource, ...(deviceId ? [{ kind: 'port', id: deviceId } as const] : [])];
      },
      react: (_event, related) => {
        seen.push(related.stateOf({ kind: 'port', id: target }));
        return [];
      },
    };
    const runner = follow(ledger, [follower]);
    await ledger.execute('port', source, 'DeletePort');
    await runner.idle();
    expect(seen).toMatchObject([{ id: target }]);
    await runner.stop();
  });

  test('is never run by a replay', async () => {
    const ledger = await twoPorts();
    const runner = follow(ledger, [sameName]);
    await ledger.execute('port', source, 'UpdatePort', { name: 'once' });
    await runner.idle();
    await runner.stop();
    const before = await ledger.store.head();
    for (const id of [source, target]) await collect(ledger.store.readStream(`port-${id}`));
    const restarted = await openLedger({ store: ledger.store });
    await restarted.runtime.current({ kind: 'port', id: target });
    expect(await ledger.store.head()).toBe(before);
    expect(await streamTypes(ledger.store, `port-${target}`)).toEqual(['PortCreated', 'PortUpdated']);
  });
});
