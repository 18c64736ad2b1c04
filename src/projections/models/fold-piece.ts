import { fold, isAlive } from '../../domain/kernel/aggregate.ts';
import { type Origin, originOf } from './origin.ts';
import type { Condition, FeedEvent, Piece, Turn } from './projection.ts';
import type { Subject } from './subject.ts';

/**
 * Folds events into a subject, which is worth nothing any more where this throws: a fold that fails leaves its state
 * half changed.
 */
export function foldPiece(subject: Subject, events: readonly FeedEvent[]): Piece {
  const { aggregate, id, commandId: commandBefore } = subject;
  const turns: Turn[] = [];
  const origins: Origin[] = [];
  for (const event of events) {
    const { revision, type, time, v } = event;
    const data = JSON.parse(event.data);
    subject.state = fold(aggregate, id, subject.state, { id: event.id, revision, type, time, v, data });
    origins.push(originOf(event.metadata));
    const turn = turnAt(subject, time, type in aggregate.begin);
    if (turn) {
      subject.condition = turn.condition;
      turns.push(turn);
    }
  }
  const last = events.at(-1)!;
  subject.revision = last.revision;
  subject.position = last.position;
  subject.commandId = origins.at(-1)!.commandId;
  return { subject, events, origins, commandBefore, turns };
}

/** What the last event changed in the resource's condition, if it did. A new life is a new stay, in whatever status. */
function turnAt({ state, aggregate, table, condition: before }: Subject, time: string, isBorn: boolean): Turn | null {
  if (!state || !isAlive(state)) {
    return before ? { time, condition: null, previousStatus: before.status } : null;
  }
  const status = aggregate.status(state);
  const subState = table.subState(state);
  const host = table.host(state);
  if (before === null || isBorn) {
    const condition = { status, statusSince: time, subState, subStateSince: time, host };
    return { time, condition, previousStatus: null };
  }
  const sameStatus = status === before.status;
  const sameSubState = sameStatus && subState === before.subState;
  if (sameSubState && host === before.host) return null;
  const condition: Condition = {
    status,
    statusSince: sameStatus ? before.statusSince : time,
    subState,
    subStateSince: sameSubState ? before.subStateSince : time,
    host,
  };
  return { time, condition, previousStatus: before.status };
}
