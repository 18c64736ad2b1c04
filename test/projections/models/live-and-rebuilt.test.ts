import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { aggregates } from '../../../src/domain/aggregates.ts';
import { fold, type Lifetime, viewOf } from '../../../src/domain/kernel/aggregate.ts';
import { kinds } from '../../../src/domain/kernel/resource.ts';
import { openViews, type Views } from '../../../src/projections/views.ts';
import type { EventStore } from '../../../src/store/event-store.ts';
import { openStore } from '../../../src/store/open-store.ts';
import { openLedger } from '../../support/ledger.ts';
import { liveAtSite, operationsOf } from './site.ts';
import { all, contents, firstDifference, openHere, tempFolder, upToDate } from './support.ts';

const seed = 20_260_101;

describe('read models of a site with ports, servers, nodes, agents and networks, after 10,000 commands', () => {
  let folder: string;
  let ledgerFile: string;
  let store: EventStore;
  let live: Views;
  let lines: string[];

  beforeAll(async () => {
    folder = await tempFolder();
    ledgerFile = join(folder, 'ledger.db');
    const ledger = await openLedger({}, `sqlite:${ledgerFile}`);
    store = ledger.store;
    live = await openViews({ store, path: `${ledgerFile}.views.db`, ledgerFile });
    await upToDate(live, store);
    const { done } = await liveAtSite(ledger, seed, 10_000);
    expect(done).toBeGreaterThan(3000);
    await upToDate(live, store);
    lines = await contents(live, operationsOf(seed));
  }, 120_000);

  afterAll(async () => {
    await live.close();
    await store.close();
    await rm(folder, { recursive: true });
  });

  test('hold something of every kind, and waits, links, deadlines and operations', async () => {
    for (const kind of kinds) expect((await all(live, kind)).length, kind).toBeGreaterThan(3);
    expect((await live.ask('waiting', {})).value.items.length).toBeGreaterThan(5);
    expect((await live.ask('deadlines', {})).value.items.length).toBeGreaterThan(0);
    expect((await live.ask('operation', { correlationId: operationsOf(seed)[0]! })).value.items.length).toBeGreaterThan(
      20,
    );
  });

  test('show every resource as a fold of its stream from zero', async () => {
    const states = new Map<string, Lifetime | null>();
    for await (const event of store.readAll()) {
      const kind = kinds.find((name) => event.stream.startsWith(`${name}-`))!;
      const id = event.stream.slice(kind.length + 1);
      states.set(event.stream, fold(aggregates[kind], id, states.get(event.stream) ?? null, event));
    }
    const shown = new Map<string, string>();
    for (const kind of kinds)
      for (const { id, viewText } of await all(live, kind)) shown.set(`${kind}-${id}`, viewText);
    expect(shown.size).toBe(states.size);
    for (const [stream, state] of states) {
      const kind = kinds.find((name) => stream.startsWith(`${name}-`))!;
      expect(shown.get(stream), stream).toBe(JSON.stringify(viewOf(aggregates[kind], state!)));
    }
  });

  test('are the same when they are rebuilt from the ledger file', async () => {
    await live.rebuild();
    expect(firstDifference(await contents(live, operationsOf(seed)), lines)).toBeNull();
  });

  test('C025: are the same when another file is built, in another time zone', async () => {
    const zone = process.env.TZ;
    process.env.TZ = 'Asia/Kathmandu';
    const other = await openViews({ store, path: join(folder, 'other.db'), ledgerFile });
    await upToDate(other, store);
    expect(firstDifference(await contents(other, operationsOf(seed)), lines)).toBeNull();
    await other.close();
    process.env.TZ = zone;
  });

  test('are the same when they are fed event by event, as from an engine without a file', async () => {
    const fed = await openHere(store);
    await upToDate(fed, store);
    expect(firstDifference(await contents(fed, operationsOf(seed)), lines)).toBeNull();
    await fed.close();
  });

  test('are the same when hardly any resource stays in memory', async () => {
    const forgetful = await openHere(store, { cachedResources: 3 });
    await upToDate(forgetful, store);
    expect(firstDifference(await contents(forgetful, operationsOf(seed)), lines)).toBeNull();
    await forgetful.close();
  });
});

test('a ledger in memory has read models too', async () => {
  const store = await openStore('memory:');
  const ledger = await openLedger({ store });
  const views = await openViews({ store });
  await liveAtSite(ledger, 7, 300);
  await upToDate(views, store);
  expect((await all(views, 'port')).length).toBeGreaterThan(3);
  await views.rebuild();
  expect((await all(views, 'port')).length).toBeGreaterThan(3);
  await views.close();
});
