import { beforeAll, describe, expect, test } from 'vitest';
import type { InStatus, ListedResource, Page, StatusCount, Touch, Waiting } from '../../../src/projections/queries.ts';
import type { Views } from '../../../src/projections/views.ts';
import { isViewsError } from '../../../src/projections/views-error.ts';
import { done, nthId, openLedger } from '../../support/ledger.ts';
import { all, everything, openHere, upToDate } from './support.ts';

const minute = 60_000;
const hour = 60 * minute;

async function site() {
  const ledger = await openLedger();
  const views = await openHere(ledger.store);
  return { ...ledger, views, ready: () => upToDate(views, ledger.store) };
}

const idsOf = ({ items }: Page<ListedResource>) => items.map(({ id }) => id);

describe('a list of ports', () => {
  let views: Views;
  const network = nthId(500);

  beforeAll(async () => {
    const { execute, clock, views: opened, ready } = await site();
    views = opened;
    for (let n = 1; n <= 9; n++) {
      await execute('port', nthId(n), 'CreatePort', {
        name: `port ${n % 3}`,
        projectId: n % 2 ? 'odd' : 'even',
        networkId: n < 4 ? network : null,
        deviceId: n === 2 ? 'server-2' : '',
      });
      await clock.advance(minute);
    }
    await execute('port', nthId(5), 'SetPortStatus', { status: 'ERROR' });
    await execute('port', nthId(6), 'AddProvisioningComponent', { entity: 'L2', host: 'host-a' });
    await execute('port', nthId(7), 'DeletePort');
    await ready();
  });

  test.each([
    [{ status: ['ERROR'] }, [5]],
    [{ status: ['ERROR', 'DOWN'], project: 'odd' }, [1, 3, 5, 9]],
    [{ status: [] }, []],
    [{ name: 'port 2' }, [2, 5, 8]],
    [{ network }, [1, 2, 3]],
    [{ device: ['server-2', 'server-9'] }, [2]],
    [{ dependsOn: { kind: 'network', id: nthId(500) } }, [1, 2, 3]],
    [{ dependsOn: { kind: 'network', id: nthId(501) } }, []],
    [{ blockedBy: ['L2', 'DHCP'] }, [6]],
    [{ blockedBy: 'DHCP' }, []],
    [{ ids: [nthId(3), nthId(7)] }, [3]],
    [{ deleted: 'only' }, [7]],
    [{ ids: [nthId(3), nthId(7)], deleted: 'include' }, [3, 7]],
    [{ since: '2026-01-01T00:07:00.000Z' }, [5, 6, 8, 9]],
    [{ statusBefore: '2026-01-01T00:01:00.000Z' }, [1, 2]],
    [{ sort: { by: 'createdAt', descending: true }, limit: 2 }, [9, 8]],
    [{ sort: { by: 'name' } }, [3, 6, 9, 1, 4, 2, 5, 8]],
    [{ sort: { by: 'statusSince', descending: true }, limit: 1 }, [5]],
  ] as const)('filtered and sorted by %j', async (filter, expected) => {
    const { value } = await views.ask('list', { kind: 'port', ...filter } as never);
    expect(idsOf(value)).toEqual(expected.map((n) => nthId(n)));
  });

  test('takes the id of a port as a marker, as OpenStack clients send it', async () => {
    const { value } = await views.ask('list', { kind: 'port', marker: nthId(6), limit: 2 });
    expect(idsOf(value)).toEqual([nthId(8), nthId(9)]);
  });

  test.each([
    [{ limit: 0 }, 'A limit is a whole number from 1 to 1000; 0 is not.'],
    [{ limit: 1001 }, 'A limit is a whole number from 1 to 1000; 1001 is not.'],
    [{ marker: 'nonsense' }, 'The marker is neither one that a page of this list ended with nor the id of a port.'],
    [
      { sort: { by: 'toString' } },
      'A list is sorted by one of id, name, status, statusSince, host, createdAt, updatedAt.',
    ],
  ])('refuses %j', async (ask, reason) => {
    const error = await views.ask('list', { kind: 'port', ...ask } as never).catch((thrown: unknown) => thrown);
    expect(isViewsError(error, 'invalid-query') && error.fault.reason).toBe(reason);
  });

  test('says as of which position it is', async () => {
    expect((await views.ask('list', { kind: 'port' })).position).toBe(views.position);
  });
});

describe('paging while others create, delete and change ports', () => {
  test.each(['id', 'createdAt'] as const)(
    'by %s shows every port that was there all the time exactly once',
    async (by) => {
      const { execute, ready, views } = await site();
      for (let n = 0; n < 100; n++) await execute('port', nthId(n * 10), 'CreatePort');
      await ready();
      const seen: string[] = [];
      let marker: string | null = null;
      const nextPage = async (): Promise<Page<ListedResource>> => {
        const ask = { kind: 'port', limit: 10, sort: { by }, ...(marker !== null && { marker }) } as const;
        return (await views.ask('list', ask)).value;
      };
      for (let page = 0; page === 0 || marker !== null; page++) {
        const shown = await nextPage();
        seen.push(...idsOf(shown));
        marker = shown.next;
        await execute('port', nthId(page * 10 + 1), 'CreatePort');
        await execute('port', nthId(page * 100 + 90), 'DeletePort'); // the last one of the page just read, among others
        await execute('port', nthId(page * 50), 'UpdatePort', { name: `changed ${page}` });
        await ready();
      }
      const stayed = Array.from({ length: 100 }, (_, n) => nthId(n * 10)).filter((_, n) => n % 10 !== 9);
      expect(seen.length).toBe(new Set(seen).size);
      expect(seen).toEqual(expect.arrayContaining(stayed));
    },
  );
});

describe('fifty servers, five of which hang in spawning and two in deleting', () => {
  const observed = (vmState: string, taskState: string | null, host: string) => ({
    source: 'nova',
    vmState,
    taskState,
    host,
  });
  let opened: Awaited<ReturnType<typeof site>>;
  let yesterday: string;
  const at = (milliseconds: number) => new Date(milliseconds).toISOString();
  const idsIn = (page: Page<InStatus>) => page.items.map(({ id }) => id);

  beforeAll(async () => {
    opened = await site();
    const { execute, clock, ready } = opened;
    for (let n = 0; n < 50; n++)
      await execute('server', nthId(n), 'ObserveServer', observed('active', null, `host-${n % 4}`));
    await clock.advance(hour);
    await execute('server', nthId(3), 'ObserveServer', observed('active', 'deleting', 'host-3'));
    await execute('server', nthId(4), 'ObserveServer', observed('active', 'deleting', 'host-0'));
    await clock.advance(20 * minute);
    yesterday = at(clock.now());
    await clock.advance(24 * hour);
    // Server 4 came out of it and went in again: only the present stay counts.
    await execute('server', nthId(4), 'ObserveServer', observed('active', null, 'host-0'));
    await execute('server', nthId(4), 'ObserveServer', observed('active', 'deleting', 'host-0'));
    await clock.advance(3 * hour);
    for (let n = 10; n < 15; n++)
      await execute('server', nthId(n), 'ObserveServer', observed('building', 'spawning', 'host-1'));
    await clock.advance(16 * minute);
    await ready();
  });

  test('are listed exactly, with the age of the present stay', async () => {
    const { views, clock } = opened;
    const before = at(clock.now() - 15 * minute);
    const building = await views.ask('inStatus', { kind: 'server', status: 'BUILD', subState: 'spawning', before });
    expect(idsIn(building.value)).toEqual([10, 11, 12, 13, 14].map(nthId));
    expect(clock.now() - Date.parse(building.value.items[0]!.subStateSince)).toBe(16 * minute);

    const deleting = await views.ask('inStatus', { kind: 'server', subState: 'deleting', before });
    expect(idsIn(deleting.value)).toEqual([nthId(3), nthId(4)]);
    expect(clock.now() - Date.parse(deleting.value.items[1]!.subStateSince)).toBe(3 * hour + 16 * minute);
  });

  test('are listed by host, and none that is younger', async () => {
    const { views, clock } = opened;
    const ask = { kind: 'server', status: 'BUILD', host: 'host-1' } as const;
    expect(idsIn((await views.ask('inStatus', { ...ask, before: at(clock.now() - 17 * minute) })).value)).toEqual([]);
    expect(idsIn((await views.ask('inStatus', { ...ask, before: at(clock.now()), host: 'host-2' })).value)).toEqual([]);
    const active = await views.ask('inStatus', {
      kind: 'server',
      status: 'ACTIVE',
      before: at(clock.now()),
      limit: 30,
    });
    expect(active.value.items.length).toBe(30);
    const rest = await views.ask('inStatus', {
      kind: 'server',
      status: 'ACTIVE',
      before: at(clock.now()),
      limit: 30,
      marker: active.value.next!,
    });
    expect(new Set([...idsIn(active.value), ...idsIn(rest.value)]).size).toBe(45);
  });

  test('are listed as they were yesterday', async () => {
    const { views } = opened;
    const asked = { kind: 'server', at: yesterday, before: at(Date.parse(yesterday) - 15 * minute) } as const;
    const deleting = await views.ask('inStatus', { ...asked, subState: 'deleting' });
    expect(idsIn(deleting.value)).toEqual([nthId(3), nthId(4)]);
    expect(Date.parse(yesterday) - Date.parse(deleting.value.items[1]!.subStateSince)).toBe(20 * minute);
    expect(idsIn((await views.ask('inStatus', { ...asked, status: 'BUILD' })).value)).toEqual([]);
    const counts = (await views.ask('counts', { kind: 'server', at: yesterday })).value;
    expect(counts).toEqual<StatusCount[]>([{ kind: 'server', status: 'ACTIVE', count: 50 }]);
  });

  test('are counted as they are now', async () => {
    expect((await opened.views.ask('counts', { kind: 'server' })).value).toEqual([
      { kind: 'server', status: 'ACTIVE', count: 45 },
      { kind: 'server', status: 'BUILD', count: 5 },
    ]);
  });
});

describe('a port whose driver retries', () => {
  test('is said to flap, with how often, in what time, and where it ended', async () => {
    const { execute, clock, views, ready } = await site();
    await execute('port', nthId(1), 'CreatePort');
    await execute('port', nthId(2), 'CreatePort');
    await execute('port', nthId(1), 'SetPortStatus', { status: 'BUILD' });
    await clock.advance(hour);
    const began = clock.now();
    for (const [status, after] of [
      ['DOWN', 1100],
      ['ERROR', 1000],
      ['DOWN', 1100],
      ['BUILD', 1000],
      ['DOWN', 1100],
      ['BUILD', 0],
    ] as const) {
      await execute('port', nthId(1), 'SetPortStatus', { status });
      await clock.advance(after);
    }
    await ready();
    const window = { from: new Date(began).toISOString(), to: new Date(began + minute).toISOString() };
    const { value } = await views.ask('flapping', { kind: 'port', ...window });
    expect(value).toMatchObject([{ resource: { id: nthId(1), status: 'BUILD' }, changes: 6 }]);
    expect(Date.parse(value[0]!.lastAt) - Date.parse(value[0]!.firstAt)).toBe(5300);

    const history = (await views.ask('statusHistory', { kind: 'port', id: nthId(1) })).value.items;
    expect(history.map(({ status }) => status)).toEqual([
      ...['DOWN', 'BUILD', 'DOWN', 'ERROR', 'DOWN', 'BUILD', 'DOWN', 'BUILD'],
    ]);
    expect(history.at(-1)).toMatchObject({ until: null, previousStatus: 'DOWN' });
  });
});

describe('a port that was deleted and created again', () => {
  test('has two lives in its past, and a gap between them', async () => {
    const { execute, clock, views, ready } = await site();
    await execute('port', nthId(1), 'CreatePort');
    await clock.advance(hour);
    await execute('port', nthId(1), 'DeletePort');
    await clock.advance(hour);
    const gap = new Date(clock.now()).toISOString();
    await clock.advance(hour);
    await execute('port', nthId(1), 'CreatePort', { name: 'again' });
    await ready();
    const { items } = (await views.ask('statusHistory', { kind: 'port', id: nthId(1) })).value;
    expect(items).toMatchObject([
      { status: 'DOWN', since: '2026-01-01T00:00:00.000Z', until: '2026-01-01T01:00:00.000Z', previousStatus: null },
      { status: 'DOWN', since: '2026-01-01T03:00:00.000Z', until: null, previousStatus: null },
    ]);
    expect((await views.ask('counts', { at: gap })).value).toEqual([]);
    expect((await views.ask('counts', {})).value).toEqual([{ kind: 'port', status: 'DOWN', count: 1 }]);
    expect(await all(views, 'port')).toMatchObject([{ revision: 2, deletedAt: null }]);
  });
});

describe('who waits for whom', () => {
  test('is told longest first, with since when and on which host', async () => {
    const { execute, clock, views, ready } = await site();
    await execute('port', nthId(1), 'CreatePort', { name: 'eth0' });
    await execute('port', nthId(1), 'AddProvisioningComponent', { entity: 'L2', host: 'compute-17' });
    await clock.advance(minute);
    await execute('node', nthId(2), 'EnrollNode', { name: 'rack-1' });
    await execute('node', nthId(2), 'ReserveNode', { holder: 'conductor-1', purpose: 'inspect', leaseMs: hour });
    await clock.advance(minute);
    await execute('port', nthId(3), 'CreatePort');
    await execute('port', nthId(3), 'AddProvisioningComponent', { entity: 'DHCP' });
    await ready();

    const { items } = (await views.ask('waiting', {})).value;
    expect(items.map(({ resource, wait }) => [resource.id, wait.what, wait.host, wait.holder, wait.since])).toEqual([
      [nthId(1), 'L2', 'compute-17', null, '2026-01-01T00:00:00.000Z'],
      [nthId(2), 'reservation', null, 'conductor-1', '2026-01-01T00:01:00.000Z'],
      [nthId(3), 'DHCP', null, null, '2026-01-01T00:02:00.000Z'],
    ]);
    expect(items[1]!.wait.deadline).toBe('2026-01-01T01:01:00.000Z');
    const page = await everything<Waiting>(views, 'waiting', {}, 1);
    expect(page).toEqual(items);
    expect((await views.ask('waiting', { kind: 'port', before: '2026-01-01T00:01:00.000Z' })).value.items.length).toBe(
      1,
    );
    expect((await views.ask('waiting', { host: 'compute-17' })).value.items.length).toBe(1);

    await execute('port', nthId(1), 'RemoveProvisioningComponent', { entity: 'L2' });
    await execute('node', nthId(2), 'ReleaseNode', { holder: 'conductor-1' });
    await execute('port', nthId(3), 'DeletePort');
    await ready();
    expect((await views.ask('waiting', {})).value.items).toEqual([]);
  });

  test('the deadlines are what an alarm clock has to be set to after a restart', async () => {
    const { execute, views, ready } = await site();
    for (const [n, leaseMs] of [
      [1, 3 * hour],
      [2, hour],
      [3, 2 * hour],
    ] as const) {
      await execute('node', nthId(n), 'EnrollNode');
      await execute('node', nthId(n), 'ReserveNode', { holder: 'c-1', leaseMs });
    }
    await execute('node', nthId(3), 'ReleaseNode', { holder: 'c-1' });
    await ready();
    const due = [];
    for await (const { resource, at } of views.deadlines()) due.push([resource.id, at]);
    expect(due).toEqual([
      [nthId(2), '2026-01-01T01:00:00.000Z'],
      [nthId(1), '2026-01-01T03:00:00.000Z'],
    ]);
  });
});

describe('an operation', () => {
  test('shows every event of every resource it touched, in order, page by page', async () => {
    const { execute, views, ready } = await site();
    const boot = { correlationId: 'boot-1' };
    await execute('server', nthId(1), 'CreateServer', { name: 'web' }, boot);
    await execute('port', nthId(2), 'CreatePort', {}, boot);
    await execute('port', nthId(2), 'UpdatePort', { name: 'somebody else' });
    await execute('port', nthId(2), 'SetPortStatus', { status: 'BUILD' }, boot);
    await ready();
    const { events, next } = await views.operation({ correlationId: 'boot-1' });
    expect(next).toBeNull();
    expect(events.filter(({ stream }) => stream.startsWith('port')).map(({ type }) => type)).toEqual([
      'PortCreated',
      'PortStatusChanged',
    ]);
    expect(events.map(({ position }) => position)).toEqual(events.map(({ position }) => position).toSorted());
    expect(events.length).toBeGreaterThan(3);
    const touches = await everything<Touch>(views, 'operation', { correlationId: 'boot-1' }, 1);
    expect(touches.map(({ position }) => position)).toEqual(events.map(({ position }) => position));
    expect((await views.operation({ correlationId: 'unheard of' })).events).toEqual([]);
  });

  test('and commands are counted by the minute, commands that changed nothing not at all', async () => {
    const { execute, clock, views, ready } = await site();
    await execute('port', nthId(1), 'CreatePort');
    await execute('port', nthId(1), 'CreatePort');
    await clock.advance(minute);
    await execute('port', nthId(1), 'UpdatePort', { name: 'a' });
    const bound = done(await execute('port', nthId(1), 'BindPort', { host: 'host-a' })).events.length;
    expect(bound).toBeGreaterThan(1);
    await ready();
    expect((await views.ask('rates', { from: '2026-01-01T00:00', to: '2026-01-01T01:00' })).value).toEqual([
      { minute: '2026-01-01T00:00', kind: 'port', events: 1, commands: 1 },
      { minute: '2026-01-01T00:01', kind: 'port', events: 1 + bound, commands: 2 },
    ]);
    expect(
      (await views.ask('rates', { from: '2026-01-01T00:01', to: '2026-01-01T00:01', kind: 'node' })).value,
    ).toEqual([]);
  });
});

describe('the graph of a server', () => {
  test('leads over its ports to networks and the agents of their host, and back', async () => {
    const { execute, views, ready } = await site();
    await execute('network', nthId(9), 'CreateNetwork', { name: 'lan' });
    await execute('agent', 'host-a:Open vSwitch agent', 'RegisterAgent');
    await execute('agent', 'host-b:Open vSwitch agent', 'RegisterAgent');
    await execute('port', nthId(1), 'CreatePort', {
      networkId: nthId(9),
      deviceId: nthId(5),
      deviceOwner: 'compute:nova',
      host: 'host-a',
    });
    await execute('port', nthId(2), 'CreatePort', { host: 'host-a' });
    await execute('server', nthId(5), 'CreateServer', { ports: [nthId(1)] });
    await ready();
    const { value } = await views.ask('graph', { kind: 'server', id: nthId(5) });
    const names = value.vertices.map(({ kind, id }) => `${kind} ${id}`);
    expect(names).toContain(`port ${nthId(1)}`);
    expect(names).toContain(`network ${nthId(9)}`);
    expect(names).toContain('agent host-a:Open vSwitch agent');
    expect(names).not.toContain('agent host-b:Open vSwitch agent');
    expect(names).not.toContain(`port ${nthId(2)}`); // on the same host, but nothing to do with it
    expect(value.edges).toContainEqual({
      from: { kind: 'server', id: nthId(5) },
      to: { kind: 'port', id: nthId(1) },
      relation: 'port',
    });
    expect(value.truncated).toBe(false);

    const fromBelow = (await views.ask('graph', { kind: 'network', id: nthId(9), depth: 2 })).value;
    expect(fromBelow.vertices.map(({ kind }) => kind)).toEqual(expect.arrayContaining(['network', 'port', 'server']));
    expect((await views.ask('graph', { kind: 'server', id: nthId(5), limit: 2 })).value).toMatchObject({
      truncated: true,
    });
  });
});
