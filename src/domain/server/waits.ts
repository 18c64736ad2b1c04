import type { Awaited, ExternalEvent, WaitResult } from './events.ts';
import type { KeptEvent, Server, Wait } from './state.ts';

/** What an external event is about: the latest word on a subject stands. */
const subjectOf = (name: string): string => (name.startsWith('network-vif-') ? 'network-vif' : name);

export const sameSubject = (a: ExternalEvent, b: ExternalEvent): boolean =>
  subjectOf(a.name) === subjectOf(b.name) && a.tag === b.tag && a.host === b.host;

export const sameWait = (a: Awaited, b: Awaited): boolean =>
  a.event === b.event && a.tag === b.tag && a.host === b.host && a.generation === b.generation;

/** Whether the wait and the event are about the same thing, wherever it was done. */
export const concerns = (wait: Awaited, event: ExternalEvent): boolean =>
  wait.event === event.name && wait.tag === event.tag;

/**
 * Whether the event is the one that is awaited. A host that both name must be the same, and the event must not be about
 * an earlier binding than the awaited one: the wiring of the place a guest has left says nothing about where it goes.
 */
export const answers = (wait: Awaited, event: ExternalEvent): boolean =>
  concerns(wait, event) &&
  (wait.host === undefined || event.host === undefined || wait.host === event.host) &&
  (wait.generation === undefined || event.generation === undefined || event.generation >= wait.generation);

/** What the event does to a wait. Work in progress counts as a failure, as in Nova; a failure that may pass as nothing. */
export const resultOf = ({ status, retryable }: ExternalEvent): WaitResult | undefined =>
  retryable && status !== 'completed' ? undefined : status;

export const isOpen = (wait: Wait): boolean => wait.result === undefined;

/** The waits after the event: all open ones it answers are over. */
export function withEvent(waits: readonly Wait[], event: ExternalEvent, time: string): Wait[] {
  const result = resultOf(event);
  if (result === undefined) return [...waits];
  return waits.map((wait) => (isOpen(wait) && answers(wait, event) ? { ...wait, result, endedAt: time } : wait));
}

/** The latest kept event that answers the wait, unless it was taken back since. */
export function keptAnswer(kept: readonly KeptEvent[], wait: Awaited): KeptEvent | undefined {
  return kept.findLast((event) => answers(wait, event) && resultOf(event) !== undefined);
}

/** What the waits mean for the build or the action that has them. */
export function outlookOf(waits: readonly Wait[]): 'waiting' | 'failed' | 'over' {
  const wrong = waits.some((wait) => wait.fatal && badResults.includes(wait.result));
  if (wrong) return 'failed';
  return waits.some(isOpen) ? 'waiting' : 'over';
}

const badResults: readonly (WaitResult | undefined)[] = ['failed', 'in-progress', 'timed-out'];

/** When the first open wait is over. */
export const waitDeadline = ({ waits }: Pick<Server, 'waits'>): string | null =>
  waits
    .filter(isOpen)
    .map((wait) => wait.deadline)
    .sort()[0] ?? null;
