import { setTimeout as pause } from 'node:timers/promises';
import { StoreError } from '../store-error.ts';

/** How an error of the client is to be taken. */
type ErrorSort =
  /** The server has answered, and will answer the same again. */
  | 'final'
  /** Not the leader: nothing was done; the next call goes to the right one. */
  | 'elsewhere'
  /** Whether anything was done is not known. */
  | 'unknown';

/** The client's own types, as far as they decide what happens next. */
const finalTypes = new Set([
  'wrong-expected-version',
  'stream-not-found',
  'stream-deleted',
  'no-stream',
  'access-denied',
  'maximum-append-size-exceeded',
  'invalid-argument',
  'unsupported',
]);

export const typeOf = (error: unknown): string | undefined => (error as { type?: string } | null)?.type;

function sortOf(error: unknown): ErrorSort {
  const type = typeOf(error);
  if (error instanceof StoreError || isInvalidPosition(error)) return 'final';
  if (type === 'not-leader') return 'elsewhere';
  return type !== undefined && finalTypes.has(type) ? 'final' : 'unknown';
}

/** Whether the server has answered, and would answer the same again. */
export const isFinal = (error: unknown): boolean => sortOf(error) === 'final';

/** A position at which no record begins; the server says so in words alone. */
export const isInvalidPosition = (error: unknown): boolean =>
  error instanceof Error && /invalid position/i.test(error.message);

/** Errors that the client does not know leave it unable to go on: it keeps a failed connection, and hands it out again. */
export const poisonsClient = (error: unknown): boolean => typeOf(error) === undefined && !(error instanceof StoreError);

/** Errors behind which there may be a node that does not answer, and that the client would go on asking. */
export const isSilence = (error: unknown): boolean =>
  error instanceof TimeLimitError || typeOf(error) === 'deadline-exceeded' || typeOf(error) === 'timeout';

export class TimeLimitError extends Error {
  override readonly name = 'TimeLimitError';

  constructor(milliseconds: number) {
    super(`there was no answer within ${milliseconds} ms`);
  }
}

/** What comes of `work`, if it comes in time. */
export function within<T>(milliseconds: number, work: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new TimeLimitError(milliseconds)), milliseconds);
    work.then(
      (value) => {
        clearTimeout(timer);
        resolve(value);
      },
      (error) => {
        clearTimeout(timer);
        reject(error);
      },
    );
  });
}

const firstPauseMs = 10;
const longestPauseMs = 500;

/** Pauses that double up to half a second, with some chance in them so that processes do not all come back together. */
export const backOff = (attempt: number): number =>
  Math.min(firstPauseMs * 2 ** attempt, longestPauseMs) * (0.5 + Math.random() / 2);

/** Tries until there is an answer, the time is over or the store closes. Whatever is final is thrown at once. */
export async function untilAnswered<T>(
  attempt: () => Promise<T>,
  patienceMs: number,
  closed: AbortSignal,
  overdue: (error: unknown) => StoreError,
): Promise<T> {
  const end = performance.now() + patienceMs;
  for (let tries = 0; ; tries++) {
    try {
      return await attempt();
    } catch (error) {
      if (closed.aborted) throw new StoreError({ code: 'closed' }, error);
      if (isFinal(error)) throw error;
      if (performance.now() >= end) throw overdue(error);
      if (sortOf(error) !== 'elsewhere' || tries > 2) await pause(backOff(tries), undefined, { ref: false });
    }
  }
}
