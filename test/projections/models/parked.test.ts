import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { aggregates } from '../../../src/domain/aggregates.ts';
import type { Aggregate } from '../../../src/domain/kernel/aggregate.ts';
import type { Aggregates } from '../../../src/projections/models/projector.ts';
import type { ParkedResource } from '../../../src/projections/queries.ts';
import { nthId, openLedger } from '../../support/ledger.ts';
import { all, contents, everything, firstDifference, openHere, tempFolder, upToDate } from './support.ts';

const bad = nthId(7);

/** The program with a mistake in it: it cannot fold a port that is called `poison`. */
const mistaken: Aggregates = {
  ...aggregates,
  port: {
    ...aggregates.port,
    evolve: {
      ...aggregates.port.evolve,
      PortUpdated(port, data, context) {
        port.name = 'half folded';
        if (data.changes.name === 'poison') throw new Error('cannot read properties of poison');
        aggregates.port.evolve.PortUpdated!(port, data, context);
      },
    },
  } as Aggregate,
};

/** 700 events, then a bad one, then 200 more on other ports and a few on the same. */
async function ledgerWithABadEvent(url = 'memory:') {
  const ledger = await openLedger({}, url);
  const { execute } = ledger;
  for (let n = 0; n < 50; n++) await execute('port', nthId(n), 'CreatePort', { name: `port ${n}` });
  for (let n = 0; n < 650; n++) await execute('port', nthId(n % 50), 'UpdatePort', { name: `round ${n}` });
  await execute('port', bad, 'UpdatePort', { name: 'poison' }, { correlationId: 'bad request' });
  for (let n = 0; n < 200; n++) await execute('port', nthId(n % 50), 'UpdatePort', { name: `later ${n}` });
  return ledger;
}

const parkedIn = async (views: Parameters<typeof all>[0]) => everything<ParkedResource>(views, 'parked', {});

describe('an event that the fold throws on', () => {
  test('C078: parks its resource as it was before, and nobody else', async () => {
    const { store, runtime } = await ledgerWithABadEvent();
    const views = await upToDate(await openHere(store, {}, mistaken), store);

    expect(await parkedIn(views)).toEqual([
      {
        resource: { kind: 'port', id: bad },
        projection: 'resources',
        revision: 14,
        position: '0000000000000701',
        eventType: 'PortUpdated',
        error: 'cannot read properties of poison',
        attempts: 1,
        waiting: 4,
      },
    ]);
    for (const { id, viewText, revision } of await all(views, 'port')) {
      if (id === bad)
        expect({ revision, name: JSON.parse(viewText).name }).toEqual({ revision: 13, name: 'round 607' });
      else expect(viewText).toBe((await runtime.current({ kind: 'port', id }))!.stateText);
    }
    const health = await views.health();
    expect(health.projections.find(({ name }) => name === 'resources')).toMatchObject({ parked: 1, lag: 0 });
    expect(health.projections.find(({ name }) => name === 'stays')).toMatchObject({ parked: 0 });
    expect(health.ready).toBe(true);
  });

  test('is counted once, however long its resource goes on, and told to nobody again', async () => {
    const faults: unknown[] = [];
    const { store, execute } = await ledgerWithABadEvent();
    const views = await openHere(store, { observer: { faulted: (error) => faults.push(error) } }, mistaken);
    await upToDate(views, store);
    for (let n = 0; n < 300; n++) await execute('port', bad, 'UpdatePort', { name: `more ${n}` });
    await upToDate(views, store);
    expect(await parkedIn(views)).toMatchObject([{ attempts: 1, waiting: 304, revision: 14 }]);
    expect(faults).toEqual([]);
  });

  test('is tried again on demand, and stays parked as long as the mistake is there', async () => {
    const { store } = await ledgerWithABadEvent();
    const views = await upToDate(await openHere(store, {}, mistaken), store);
    expect(await views.retryParked()).toBe(1);
    expect(await views.retryParked()).toBe(1);
    expect(await parkedIn(views)).toMatchObject([{ attempts: 3, waiting: 4, revision: 14 }]);
  });

  test('C056: is as if it had never failed once the mistake is mended', async () => {
    const { store, execute } = await ledgerWithABadEvent();
    for (let n = 0; n < 600; n++) await execute('port', bad, 'UpdatePort', { name: `more ${n}` });
    const folder = await tempFolder();
    const path = join(folder, 'views.db');
    const before = await upToDate(await openHere(store, { path }, mistaken), store);
    await before.close();

    const mended = await upToDate(await openHere(store, { path }), store);
    await expect.poll(async () => (await parkedIn(mended)).length).toBe(0);
    const unharmed = await upToDate(await openHere(store), store);
    const operations = ['bad request'];
    expect(firstDifference(await contents(mended, operations), await contents(unharmed, operations))).toBeNull();
    await mended.close();
    await rm(folder, { recursive: true });
  });

  test('parks its resource in the same way when the models are built from the ledger file', async () => {
    const folder = await tempFolder();
    const ledgerFile = join(folder, 'ledger.db');
    const { store } = await ledgerWithABadEvent(`sqlite:${ledgerFile}`);
    const path = join(folder, 'views.db');
    const built = await upToDate(await openHere(store, { path, ledgerFile }, mistaken), store);
    const fed = await upToDate(await openHere(store, {}, mistaken), store);
    expect(firstDifference(await contents(built, []), await contents(fed, []))).toBeNull();
    expect(await parkedIn(built)).toEqual(await parkedIn(fed));
    await built.close();
    await store.close();
    await rm(folder, { recursive: true });
  });

  test('parks a resource from its very first event on', async () => {
    const { store, execute } = await openLedger();
    const unborn: Aggregates = {
      port: {
        ...aggregates.port,
        begin: {
          PortCreated(data, context) {
            if (data.name === 'poison') throw new Error('not born');
            return aggregates.port.begin.PortCreated!(data, context);
          },
        },
      },
    };
    await execute('port', nthId(1), 'CreatePort', { name: 'poison' });
    await execute('port', nthId(1), 'UpdatePort', { name: 'well' });
    await execute('port', nthId(2), 'CreatePort', { name: 'well' });
    const views = await upToDate(await openHere(store, {}, unborn), store);
    expect((await all(views, 'port')).map(({ id }) => id)).toEqual([nthId(2)]);
    expect(await parkedIn(views)).toMatchObject([{ resource: { id: nthId(1) }, revision: 0, waiting: 1 }]);
  });
});

test('a view that throws names the projection, and parks at the event that led there', async () => {
  const { store, execute } = await openLedger();
  const blind: Aggregates = {
    ...aggregates,
    port: {
      ...aggregates.port,
      view(state) {
        if ((state as unknown as { name: string }).name === 'unseeable') throw new Error('cannot be seen');
        return state;
      },
    },
  };
  await execute('port', bad, 'CreatePort', { name: 'a' });
  await execute('port', bad, 'UpdatePort', { name: 'unseeable' });
  await execute('port', bad, 'UpdatePort', { name: 'c' });
  const views = await openHere(store, {}, blind);
  await upToDate(views, store);
  // The state in between was never looked at: only the last one is written, and that one can be seen.
  expect(await parkedIn(views)).toEqual([]);
  await execute('port', bad, 'UpdatePort', { name: 'unseeable' });
  await upToDate(views, store);
  expect(await parkedIn(views)).toMatchObject([{ revision: 3, error: 'cannot be seen', projection: 'resources' }]);
});
