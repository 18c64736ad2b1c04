import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { applyPatch } from 'fast-json-patch';
import { describe, expect, test } from 'vitest';
import { aggregates } from '../../src/domain/aggregates.ts';
import { type HistoryPage, historyOf } from '../../src/projections/history.ts';
import { stateAt } from '../../src/projections/state-at.ts';
import { engines, nthId, openLedger } from '../support/ledger.ts';

const port = { kind: 'port', id: nthId(1) } as const;
const node = { kind: 'node', id: nthId(2) } as const;
const everything = { order: 'asc', limit: 1000, diff: true } as const;

async function busyLedger(url = 'memory:') {
  const ledger = await openLedger({ snapshotEvery: 5 }, url);
  const { execute, clock } = ledger;
  await execute('port', port.id, 'CreatePort', { name: 'web-1' });
  for (let n = 0; n < 12; n++) {
    await clock.advance(1000);
    await execute('port', port.id, n % 3 === 0 ? 'RemoveProvisioningComponent' : 'AddProvisioningComponent', {
      entity: `E${n % 4}`,
    });
    await execute('port', port.id, 'UpdatePort', { name: `web-${n}` });
  }
  await execute('port', port.id, 'SetPortStatus', { status: 'ERROR' });
  await execute('port', port.id, 'DeletePort');
  await execute('port', port.id, 'CreatePort', { name: 'another life' });
  await execute('node', node.id, 'EnrollNode', { driver: 'ipmi' });
  await execute('node', node.id, 'SetProvisionState', { target: 'manage' });
  await execute('node', node.id, 'SetMaintenance', { reason: 'bad fan' });
  return ledger;
}

describe.each(engines)('a history on %s', (engine) => {
  const url = () =>
    engine === 'memory:' ? engine : `${engine}${join(mkdtempSync(join(tmpdir(), 'stackledger-')), 'ledger.db')}`;

  test('patches lead from each state to the next, as people see them', async () => {
    const { store } = await busyLedger(url());
    for (const resource of [port, node]) {
      const aggregate = aggregates[resource.kind];
      const { entries } = (await historyOf(store, aggregate, resource, everything))!;
      expect(entries.length).toBeGreaterThan(2);
      let seen: unknown = null;
      for (const { event, patch } of entries) {
        seen = applyPatch(seen, structuredClone(patch!) as Parameters<typeof applyPatch>[1], true).newDocument;
        const then = await stateAt(store, aggregate, resource, { by: 'revision', revision: event.revision });
        expect(JSON.stringify(sorted(seen))).toBe(
          JSON.stringify(sorted(JSON.parse((then as { stateText: string }).stateText))),
        );
      }
    }
    await store.close();
  });

  test('durations add up: a status change says how long the one before had lasted', async () => {
    const { store } = await busyLedger(url());
    const { entries } = (await historyOf(store, aggregates.port, port, everything))!;
    const changes = entries.filter(({ statusChange }) => statusChange);
    for (const [n, { event, statusChange }] of changes.entries()) {
      const before = changes[n - 1];
      expect(statusChange!.from).toBe(before?.statusChange?.to ?? null);
      expect(statusChange!.lastedMs).toBe(before ? Date.parse(event.time) - Date.parse(before.event.time) : null);
    }
    expect(changes.map(({ statusChange }) => statusChange!.to)).toEqual(['DOWN', 'ERROR', 'DOWN']);
    await store.close();
  });
});

describe('a page of a history', () => {
  test('is the same whichever way one comes to it', async () => {
    const { store } = await busyLedger();
    const whole = (await historyOf(store, aggregates.port, port, everything))!.entries;
    for (const limit of [1, 3, 7]) {
      for (const order of ['asc', 'desc'] as const) {
        const entries: HistoryPage['entries'][number][] = [];
        for (let marker: number | null | undefined; marker !== null; ) {
          const query = { order, limit, diff: true, ...(marker !== undefined && { marker }) };
          const page: HistoryPage = (await historyOf(store, aggregates.port, port, query))!;
          entries.push(...page.entries);
          marker = page.next;
        }
        expect(order === 'asc' ? entries : entries.toReversed()).toEqual(whole);
      }
    }
  });

  test('of large events ends early, and goes on where it ended', async () => {
    const { store } = await openLedger();
    const stream = `port-${port.id}`;
    const data = JSON.stringify({ text: 'x'.repeat(900_000) });
    for (let n = 0; n < 25; n++) {
      const event = { id: nthId(n), type: 'Imported', v: 1, time: '2026-01-01T00:00:00.000Z', data, metadata: '{}' };
      await store.append({ stream, expectedRevision: n - 1, events: [event] });
    }
    for (const order of ['asc', 'desc'] as const) {
      const seen: number[] = [];
      for (let marker: number | null | undefined; marker !== null; ) {
        const query = { order, limit: 1000, diff: false, ...(marker !== undefined && { marker }) };
        const page: HistoryPage = (await historyOf(store, aggregates.port, port, query))!;
        expect(page.entries.length).toBeLessThan(12);
        seen.push(...page.entries.map(({ event }) => event.revision));
        marker = page.next;
      }
      expect(order === 'asc' ? seen : seen.toReversed()).toEqual(Array.from({ length: 25 }, (_, n) => n));
    }
  });
});

describe('a resource as it was', () => {
  test('is the same with and without snapshots', async () => {
    const { store } = await busyLedger();
    expect(await store.loadSnapshot(`port-${port.id}`)).not.toBeNull();
    const bare = new Proxy(store, {
      get(target, name) {
        if (name === 'loadSnapshot') return async () => null;
        const member = Reflect.get(target, name, target) as unknown;
        return typeof member === 'function' ? member.bind(target) : member;
      },
    });
    const { lastRevision, entries } = (await historyOf(store, aggregates.port, port, everything))!;
    for (let revision = 0; revision <= lastRevision; revision++) {
      const { time, position } = entries[revision]!.event;
      for (const moment of [
        { by: 'revision', revision },
        { by: 'time', time },
        { by: 'position', position },
      ] as const) {
        const then = await stateAt(store, aggregates.port, port, moment);
        expect(then).toEqual(await stateAt(bare, aggregates.port, port, moment));
        expect(then.found).toBe('state');
      }
    }
  });
});

/** Objects with their keys in order: a patch says nothing about that. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(
    Object.entries(value)
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, inner]) => [key, sorted(inner)]),
  );
}
