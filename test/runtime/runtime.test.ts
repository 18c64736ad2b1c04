import { describe, expect, test } from 'vitest';
import { openStore } from '../../src/store/open-store.ts';
import { flaky } from '../support/flaky-store.ts';
import { collect, done, nthId, openLedger, slugOf, streamTypes, typesOf } from '../support/ledger.ts';

const port = nthId(1);
const stream = `port-${port}`;
const nextTurn = () => new Promise((resolve) => setImmediate(resolve));

async function flakyLedger() {
  const disk = flaky(await openStore('memory:', { clock: 'manual', now: () => 0 }));
  return { disk, ...(await openLedger({ store: disk.store })) };
}

describe('a command', () => {
  test('is answered with its events, and the state and revision they led to', async () => {
    const { execute, store } = await openLedger();
    const created = done(await execute('port', port, 'CreatePort', { name: 'eth0' }));
    expect(created).toMatchObject({ revision: 0, resource: { kind: 'port', id: port } });
    expect(created.state).toMatchObject({ id: port, name: 'eth0', status: 'DOWN', revision: 0 });

    const added = done(await execute('port', port, 'AddProvisioningComponent', { entity: 'L2' }));
    expect(added.events).toMatchObject([{ type: 'ProvisioningComponentAdded', revision: 1, data: { entity: 'L2' } }]);
    const [, recorded] = await collect(store.readStream(stream));
    expect(added).toMatchObject({ revision: 1, position: recorded!.position });
  });

  test('is remembered with who gave it, why, and on whose request', async () => {
    const { execute, store } = await openLedger();
    const actor = { type: 'agent', id: 'ovs@host-a' } as const;
    const extra = {
      actor,
      correlationId: 'boot-1',
      causationId: 'cause-1',
      requestId: 'req-1',
      traceparent: '00-a-b-01',
    };
    await execute('port', port, 'CreatePort', {}, extra);
    const [event] = await collect(store.readStream(stream));
    expect(event!.metadata).toMatchObject({
      $correlationId: 'boot-1',
      $causationId: 'cause-1',
      actor,
      commandType: 'CreatePort',
      requestId: 'req-1',
      traceparent: '00-a-b-01',
    });
  });

  test('that is refused, or finds its work done, stores nothing', async () => {
    const { execute, store } = await openLedger();
    expect(slugOf(await execute('port', port, 'ProvisioningComplete', { entity: 'L2' }))).toBe('port-not-found');
    await execute('port', port, 'CreatePort');
    expect(done(await execute('port', port, 'CreatePort'))).toMatchObject({ events: [], revision: 0 });
    expect(await streamTypes(store, stream)).toEqual(['PortCreated']);
  });

  test('for another revision than the resource is at is refused', async () => {
    const { execute } = await openLedger();
    expect(slugOf(await execute('port', port, 'CreatePort', {}, { ifRevision: 3 }))).toBe('revision-mismatch');
    await execute('port', port, 'CreatePort');
    expect(slugOf(await execute('port', port, 'DeletePort', {}, { ifRevision: 1 }))).toBe('revision-mismatch');
    expect(typesOf(await execute('port', port, 'DeletePort', {}, { ifRevision: 0 }))).toEqual(['PortDeleted']);
  });

  test('is never recorded as earlier than the event before it, whatever the clock does', async () => {
    const times: number[] = [0, 5000, 1000, 7000]; // at the start, then at each command
    const clock = { now: () => times.shift() ?? 9000, schedule: () => () => {} };
    const { execute, store } = await openLedger({ clock });
    await execute('port', port, 'CreatePort');
    await execute('port', port, 'UpdatePort', { name: 'b' });
    await execute('port', port, 'UpdatePort', { name: 'c' });
    const recorded = await collect(store.readStream(stream));
    expect(recorded.map((event) => Date.parse(event.time))).toEqual([5000, 5000, 7000]);
  });
});

describe('commands on one port while the disk is slow', () => {
  test('are decided without waiting for each other, and answered only when durable', async () => {
    const { disk, execute } = await flakyLedger();
    await execute('port', port, 'CreatePort');
    disk.hold();
    const answered: string[] = [];
    const names = ['a', 'b', 'c'];
    const commands = names.map((name) => execute('port', port, 'UpdatePort', { name }).then(() => answered.push(name)));
    await nextTurn();
    expect(disk.waiting).toBe(3);
    expect(answered).toEqual([]);
    disk.release();
    await Promise.all(commands);
    expect(answered).toEqual(names);
  });

  test('show readers only what is durable', async () => {
    const { disk, execute, runtime } = await flakyLedger();
    await execute('port', port, 'CreatePort', { name: 'old' });
    disk.hold();
    const update = execute('port', port, 'UpdatePort', { name: 'new' });
    await nextTurn();
    expect((await runtime.current({ kind: 'port', id: port }))?.state).toMatchObject({ name: 'old', revision: 0 });
    disk.release();
    await update;
    expect((await runtime.current({ kind: 'port', id: port }))?.state).toMatchObject({ name: 'new', revision: 1 });
  });

  test('that find their work done by an event not yet durable wait for it', async () => {
    const { disk, execute } = await flakyLedger();
    await execute('port', port, 'CreatePort');
    disk.hold();
    const first = execute('port', port, 'UpdatePort', { name: 'a' });
    let answered = false;
    const second = execute('port', port, 'UpdatePort', { name: 'a' }).then((outcome) => {
      answered = true;
      return outcome;
    });
    await nextTurn();
    expect(answered).toBe(false);
    disk.release();
    await first;
    expect(done(await second)).toMatchObject({ events: [], revision: 1 });
  });

  test('are decided in the order in which they came, also where the first must look something up', async () => {
    const { execute, store } = await openLedger();
    const names = ['a', 'b', 'c', 'd'];
    const extras = [{ key: 'k' }, {}, { key: 'l' }, {}];
    const created = execute('port', port, 'CreatePort', {}, { key: 'create' });
    await Promise.all([created, ...names.map((name, n) => execute('port', port, 'UpdatePort', { name }, extras[n]))]);
    const [, ...updates] = await collect(store.readStream(stream));
    expect(updates.map((event) => event.data)).toEqual(names.map((name) => ({ changes: { name } })));
  });

  test('are decided anew when what they were decided on was lost', async () => {
    const { disk, execute, store } = await flakyLedger();
    await execute('port', port, 'CreatePort');
    disk.hold();
    disk.failNext(1);
    const lost = execute('port', port, 'UpdatePort', { name: 'lost' });
    const same = execute('port', port, 'UpdatePort', { name: 'lost' });
    const refused = execute('port', port, 'CreatePort', { name: 'lost' });
    const built = execute('port', port, 'AddProvisioningComponent', { entity: 'L2' });
    await nextTurn();
    disk.release();

    await expect(lost).rejects.toThrow('the disk is full');
    expect(typesOf(await same)).toEqual(['PortUpdated']);
    await refused;
    expect(typesOf(await built)).toEqual(['ProvisioningComponentAdded']);
    expect((await streamTypes(store, stream)).sort()).toEqual([
      'PortCreated',
      'PortUpdated',
      'ProvisioningComponentAdded',
    ]);
  });
});

describe('two processes on one ledger', () => {
  test('never overwrite each other: the loser decides again on what the winner left', async () => {
    const { store, execute } = await openLedger();
    const other = await openLedger({ store });
    await execute('port', port, 'CreatePort', { host: 'host-a' });
    await other.execute('port', port, 'AddProvisioningComponent', { entity: 'L2' });
    await execute('port', port, 'AddProvisioningComponent', { entity: 'DHCP' });
    expect(typesOf(await other.execute('port', port, 'ProvisioningComplete', { entity: 'DHCP' }))).toEqual([
      'ProvisioningComponentCompleted',
    ]);
    expect(typesOf(await execute('port', port, 'ProvisioningComplete', { entity: 'L2' }))).toEqual([
      'ProvisioningComponentCompleted',
      'PortProvisioned',
      'PortStatusChanged',
    ]);
  });

  test('never build on an event that was lost to another of the same number', async () => {
    const { store, execute, runtime } = await openLedger();
    const rival = await openLedger({ store });
    await execute('port', port, 'CreatePort');
    for (const entity of ['L2', 'DHCP']) await execute('port', port, 'AddProvisioningComponent', { entity });
    await rival.execute('port', port, 'UpdatePort', { name: 'by the rival' });
    await Promise.all(['L2', 'DHCP'].map((entity) => execute('port', port, 'ProvisioningComplete', { entity })));
    const types = await streamTypes(store, stream);
    expect(types.filter((type) => type === 'ProvisioningComponentCompleted')).toHaveLength(2);
    expect(types.indexOf('PortProvisioned')).toBeGreaterThan(types.lastIndexOf('ProvisioningComponentCompleted'));
    const live = (await runtime.current({ kind: 'port', id: port }))!.stateText;
    const { runtime: restarted } = await openLedger({ store });
    expect((await restarted.current({ kind: 'port', id: port }))!.stateText).toBe(live);
  });

  test('give up with a refusal when the race is lost again and again', async () => {
    const { store, execute } = await openLedger();
    await execute('port', port, 'CreatePort');
    const rival = await openLedger({ store });
    let round = 0;
    const contested = new Proxy(store, {
      get(target, name) {
        if (name !== 'append') {
          const value = Reflect.get(target, name, target) as unknown;
          return typeof value === 'function' ? value.bind(target) : value;
        }
        return async (...args: Parameters<typeof store.append>) => {
          await rival.execute('port', port, 'UpdatePort', { name: `rival ${round++}` });
          return target.append(...args);
        };
      },
    });
    const loser = await openLedger({ store: contested });
    expect(slugOf(await loser.execute('port', port, 'UpdatePort', { name: 'loser' }))).toBe('race-lost');
    expect(round).toBe(10);
  });
});

describe('a retry with the same key', () => {
  test('gets the first answer, however the port has changed since', async () => {
    const { execute, store } = await openLedger();
    await execute('port', port, 'CreatePort');
    const first = done(await execute('port', port, 'UpdatePort', { name: 'a' }, { key: 'k' }));
    await execute('port', port, 'UpdatePort', { name: 'b' });
    const { execute: afterRestart } = await openLedger({ store });
    for (const retry of [execute, afterRestart]) {
      const again = done(await retry('port', port, 'UpdatePort', { name: 'a' }, { key: 'k' }));
      expect(again).toEqual(first);
    }
    expect(await streamTypes(store, stream)).toEqual(['PortCreated', 'PortUpdated', 'PortUpdated']);
  });

  test('of a command that changed nothing changes nothing later either', async () => {
    const { execute, store } = await openLedger();
    await execute('port', port, 'CreatePort', { name: 'a' });
    expect(typesOf(await execute('port', port, 'UpdatePort', { name: 'a' }, { key: 'k' }))).toEqual([]);
    await execute('port', port, 'UpdatePort', { name: 'b' });
    const again = done(await execute('port', port, 'UpdatePort', { name: 'a' }, { key: 'k' }));
    expect(again).toMatchObject({ events: [], revision: 0, state: { name: 'a' } });
    expect(await streamTypes(store, stream)).toEqual(['PortCreated', 'PortUpdated']);
  });

  test('that comes while the first is under way waits for it', async () => {
    const { disk, execute, store } = await flakyLedger();
    await execute('port', port, 'CreatePort');
    disk.hold();
    const both = [1, 2].map(() => execute('port', port, 'UpdatePort', { name: 'a' }, { key: 'k' }));
    await nextTurn();
    expect(disk.waiting).toBe(1);
    disk.release();
    const [first, second] = await Promise.all(both);
    expect(second).toEqual(first);
    expect(await streamTypes(store, stream)).toEqual(['PortCreated', 'PortUpdated']);
  });

  test('and another body is refused, before and after the first has ended', async () => {
    const { execute } = await openLedger();
    await execute('port', port, 'CreatePort');
    const first = execute('port', port, 'UpdatePort', { name: 'a' }, { key: 'k' });
    const meanwhile = execute('port', port, 'UpdatePort', { name: 'b' }, { key: 'k' });
    expect(typesOf(await first)).toEqual(['PortUpdated']);
    expect(slugOf(await meanwhile)).toBe('key-reused');
    expect(slugOf(await execute('port', port, 'UpdatePort', { name: 'b' }, { key: 'k' }))).toBe('key-reused');
  });

  test('of a refused command is decided anew', async () => {
    const { execute } = await openLedger();
    expect(slugOf(await execute('port', port, 'UpdatePort', { name: 'a' }, { key: 'k' }))).toBe('port-not-found');
    await execute('port', port, 'CreatePort');
    expect(typesOf(await execute('port', port, 'UpdatePort', { name: 'a' }, { key: 'k' }))).toEqual(['PortUpdated']);
  });

  test('on another port is another command', async () => {
    const { execute } = await openLedger();
    for (const id of [nthId(1), nthId(2)]) {
      expect(typesOf(await execute('port', id, 'CreatePort', {}, { key: 'k' }))).toEqual(['PortCreated']);
    }
  });
});

describe('a port with a long past', () => {
  test('is loaded from its snapshot and the events after it', async () => {
    const { execute, store } = await openLedger({ snapshotEvery: 10 });
    await execute('port', port, 'CreatePort');
    for (let n = 1; n <= 25; n++) await execute('port', port, 'UpdatePort', { name: `n${n}` });
    const snapshot = await store.loadSnapshot(stream);
    expect(snapshot).toMatchObject({ revision: 19 });

    const reads: number[] = [];
    const watched = new Proxy(store, {
      get(target, name) {
        const value = Reflect.get(target, name, target) as unknown;
        if (name === 'readStream')
          return (...args: Parameters<typeof store.readStream>) => {
            reads.push(args[1]?.from ?? 0);
            return target.readStream(...args);
          };
        return typeof value === 'function' ? value.bind(target) : value;
      },
    });
    const { execute: afterRestart } = await openLedger({ store: watched });
    const renamed = done(await afterRestart('port', port, 'UpdatePort', { name: 'last' }));
    expect(renamed).toMatchObject({ revision: 26, state: { name: 'last', revision: 26 } });
    expect(reads).toEqual([19]);
  });

  test('ignores a snapshot that another version of the fold made', async () => {
    const { execute, store } = await openLedger();
    await execute('port', port, 'CreatePort', { name: 'true' });
    await store.saveSnapshot({ stream, revision: 0, foldVersion: 0, state: '{"name":"stale"}' });
    const { runtime } = await openLedger({ store });
    expect((await runtime.current({ kind: 'port', id: port }))?.state).toMatchObject({ name: 'true' });
  });

  test('keeps its revision when a newer program has recorded what this one does not know', async () => {
    const { execute, store } = await openLedger();
    const unknown: string[] = [];
    await execute('port', port, 'CreatePort');
    const event = {
      id: nthId(9),
      type: 'PortMoved',
      v: 1,
      time: '2030-01-01T00:00:00.000Z',
      data: '{}',
      metadata: '{}',
    };
    await store.append({ stream, expectedRevision: 0, events: [event] });
    const { execute: later } = await openLedger({
      store,
      observer: { unknownEvent: (kind, type) => unknown.push(`${kind} ${type}`) },
    });
    expect(done(await later('port', port, 'UpdatePort', { name: 'a' }))).toMatchObject({ revision: 2 });
    expect(unknown).toEqual(['port PortMoved']);
  });
});
