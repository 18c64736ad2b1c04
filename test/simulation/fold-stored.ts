import { type Aggregate, fold, type Lifetime } from '../../src/domain/kernel/aggregate.ts';
import type { JsonObject } from '../../src/domain/kernel/json.ts';
import type { RecordedEvent } from '../../src/store/event-store.ts';

/** Folds an event as it was stored. Its data is frozen: a fold that changes what was recorded fails. */
export function foldStored(
  aggregate: Aggregate,
  id: string,
  state: Lifetime | null,
  { dataText, id: eventId, revision, type, time, v }: RecordedEvent,
): Lifetime | null {
  const data = frozen(JSON.parse(dataText)) as JsonObject;
  return fold(aggregate, id, state, { id: eventId, revision, type, time, v, data });
}

function frozen(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  for (const part of Object.values(value)) frozen(part);
  return Object.freeze(value);
}
