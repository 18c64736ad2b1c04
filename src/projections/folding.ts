import { type Aggregate, fold, type Lifetime } from '../domain/kernel/aggregate.ts';
import { NewerEvent } from '../domain/kernel/events.ts';
import type { RecordedEvent } from '../store/event-store.ts';

/** A recorded event that the rules of this program cannot fold. Only its own resource suffers. */
export class UnfoldableEvent extends Error {
  override readonly name = 'UnfoldableEvent';
  readonly event: RecordedEvent;

  constructor(event: RecordedEvent, cause: unknown) {
    const reason = cause instanceof NewerEvent ? `: ${cause.message}.` : '.';
    super(`${event.type} at revision ${event.revision} of ${event.stream} cannot be folded${reason}`, { cause });
    this.event = event;
  }

  /** What a program must know to fold it; null where no other version is called for. */
  get newer(): NewerEvent | null {
    return this.cause instanceof NewerEvent ? this.cause : null;
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
