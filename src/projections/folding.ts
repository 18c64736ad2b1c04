import { type Aggregate, fold, type Lifetime } from '../domain/kernel/aggregate.ts';
import type { RecordedEvent } from '../store/event-store.ts';

/** A recorded event that the rules of this program cannot fold. Only its own resource suffers. */
export class UnfoldableEvent extends Error {
  override readonly name = 'UnfoldableEvent';
  readonly event: RecordedEvent;

  constructor(event: RecordedEvent, cause: unknown) {
    super(`${event.type} at revision ${event.revision} of ${event.stream} cannot be folded.`, { cause });
    this.event = event;
  }
}

/** Folds one recorded event, mutating the state. @throws UnfoldableEvent */
export function foldRecorded(
  aggregate: Aggregate,
  id: string,
  state: Lifetime | null,
  event: RecordedEvent,
): Lifetime | null {
  try {
    return fold(aggregate, id, state, event);
  } catch (error) {
    throw new UnfoldableEvent(event, error);
  }
}
