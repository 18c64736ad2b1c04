import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import jsonPatch, { type Operation } from 'fast-json-patch';
import { describe, expect, test } from 'vitest';
import { aggregates } from '../../src/domain/aggregates.ts';
import { type Aggregate, fold, type Lifetime, viewOf } from '../../src/domain/kernel/aggregate.ts';
import { streamOf } from '../../src/domain/kernel/resource.ts';
import { foldWithPatch, type JsonPatchOperation } from '../../src/projections/patch.ts';
import type { RecordedEvent } from '../../src/store/event-store.ts';
import { collect, nthId, openLedger } from '../support/ledger.ts';

const { applyPatch, getValueByPointer } = jsonPatch;
/** A patch that replaces a value by the same one tells people of a change that there was not. */
const isNews = (change: JsonPatchOperation, before: unknown): boolean =>
  change.op !== 'replace' || !isDeepStrictEqual(getValueByPointer(before, change.path), change.value);

const port = { kind: 'port', id: nthId(1) } as const;

/** Commands a port may meet, malformed by nobody but in any order. */
const text = fc.string({ unit: 'grapheme', maxLength: 20 });
const entity = fc.oneof(fc.constantFrom('L2', 'DHCP'), text);
const PortCommand = fc.oneof(
  { weight: 1, arbitrary: fc.record({ type: fc.constant('CreatePort'), data: fc.record({ name: text }) }) },
  {
    weight: 4,
    arbitrary: fc.record({
      type: fc.constant('UpdatePort'),
      data: fc.record({ name: text, adminStateUp: fc.boolean() }, { requiredKeys: [] }),
    }),
  },
  {
    weight: 6,
    arbitrary: fc.record({
      type: fc.constantFrom('AddProvisioningComponent', 'RemoveProvisioningComponent', 'ProvisioningComplete'),
      data: fc.record({ entity }),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      type: fc.constant('SetPortStatus'),
      data: fc.record({ status: fc.constantFrom('DOWN', 'BUILD', 'ERROR', 'N/A', 'ACTIVE') }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ type: fc.constant('DeletePort'), data: fc.constant({}) }) },
);

const foldAll = (aggregate: Aggregate, events: readonly RecordedEvent[], start: Lifetime | null = null) =>
  events.reduce<Lifetime | null>((state, event) => fold(aggregate, port.id, state, event), start);

const viewTextOf = (aggregate: Aggregate, state: Lifetime | null) => state && JSON.stringify(viewOf(aggregate, state));

describe('a port, whatever happens to it', () => {
  test('is the same live, replayed, from a snapshot with the events after it, through immer, and by its patches', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(PortCommand, { minLength: 1, maxLength: 40 }), fc.nat(), async (commands, cut) => {
        const aggregate = aggregates.port;
        const { execute, store, runtime } = await openLedger({ snapshotEvery: 7 });
        for (const { type, data } of commands) await execute('port', port.id, type, data);

        const live = (await runtime.current(port))?.stateText ?? null;
        const events = await collect(store.readStream(streamOf(port)));
        expect(viewTextOf(aggregate, foldAll(aggregate, events))).toBe(live);

        const { runtime: restarted } = await openLedger({ store });
        expect((await restarted.current(port))?.stateText ?? null).toBe(live);

        const at = events.length ? cut % events.length : 0;
        const snapshot = JSON.parse(JSON.stringify(foldAll(aggregate, events.slice(0, at)))) as Lifetime | null;
        expect(viewTextOf(aggregate, foldAll(aggregate, events.slice(at), snapshot))).toBe(live);

        let immutable: Lifetime | null = null;
        let patched: unknown = null;
        for (const event of events) {
          const step = foldWithPatch(aggregate, port.id, immutable, event);
          immutable = step.state;
          for (const change of step.patch) expect(isNews(change, patched)).toBe(true);
          patched = applyPatch(patched, structuredClone(step.patch) as Operation[]).newDocument;
        }
        expect(viewTextOf(aggregate, immutable)).toBe(live);
        expect(patched).toEqual(live && JSON.parse(live));
      }),
      { numRuns: 100 },
    );
  });
});
