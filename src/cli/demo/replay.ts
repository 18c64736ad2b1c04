import { aggregates } from '../../domain/aggregates.ts';
import { type Lifetime, viewOf } from '../../domain/kernel/aggregate.ts';
import { resourceOf } from '../../domain/kernel/resource.ts';
import { foldRecorded } from '../../projections/folding.ts';
import type { EventStore } from '../../store/event-store.ts';
import { verifyLedger } from '../verify/verify-ledger.ts';

export interface Replayed {
  readonly events: number;
  readonly resources: number;
  readonly tookMs: number;
  /** Streams whose replayed state is not the live one, byte for byte; with them those that only one side knows. */
  readonly differing: readonly string[];
  /** What `stackledger verify` finds wrong with the ledger. */
  readonly findings: number;
}

/**
 * Folds every event of a ledger from nothing, in one pass, and compares what comes of it with what the server showed.
 * @param live the JSON text of each resource's state, by stream
 */
export async function replay(store: EventStore, live: ReadonlyMap<string, string>): Promise<Replayed> {
  const began = performance.now();
  const states = new Map<string, Lifetime>();
  let events = 0;
  for await (const event of store.readAll()) {
    const { kind, id } = resourceOf(event.stream)!;
    const state = foldRecorded(aggregates[kind], id, states.get(event.stream) ?? null, event);
    if (state) states.set(event.stream, state);
    events++;
  }
  const tookMs = performance.now() - began;
  const replayed = new Map([...states].map(([stream, state]) => [stream, textOf(stream, state)]));
  const streams = new Set([...replayed.keys(), ...live.keys()]);
  return {
    events,
    resources: states.size,
    tookMs,
    differing: [...streams].filter((stream) => replayed.get(stream) !== live.get(stream)),
    findings: (await verifyLedger(store, aggregates, null)).findingCount,
  };
}

const textOf = (stream: string, state: Lifetime): string =>
  JSON.stringify(viewOf(aggregates[resourceOf(stream)!.kind], state));
