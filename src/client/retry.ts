import { ConnectionError, ProblemError } from './errors.ts';

/** How patient the client is. Only what is safe to repeat is repeated, so the numbers decide about time alone. */
export interface RetryPolicy {
  /** Tries in all, the first included. 1 turns retries off. */
  readonly attempts: number;
  /** Wait before the second try; it doubles from try to try. */
  readonly firstDelayMs: number;
  /** The longest wait between two tries, unless the server asks for a longer one with `Retry-After`. */
  readonly maxDelayMs: number;
  /** No wait is begun that would end later than this after the first try. */
  readonly patienceMs: number;
}

export const defaultRetry: RetryPolicy = { attempts: 6, firstDelayMs: 100, maxDelayMs: 5_000, patienceMs: 60_000 };

/** Overload, and what a proxy says while the server behind it restarts. Everything else is an answer. */
const transientStatuses = new Set([429, 502, 503, 504]);

export const isTransient = (error: unknown): boolean =>
  error instanceof ProblemError
    ? transientStatuses.has(error.status)
    : error instanceof ConnectionError && error.transient;

/** Runs `attempt` until it succeeds, fails for good, or patience ends; then throws what the last try threw. */
export async function withRetries<T>(
  policy: RetryPolicy,
  signal: AbortSignal | undefined,
  attempt: () => Promise<T>,
): Promise<T> {
  const end = Date.now() + policy.patienceMs;
  for (let tried = 1; ; tried++) {
    try {
      return await attempt();
    } catch (error) {
      if (signal?.aborted || !isTransient(error) || tried >= policy.attempts) throw error;
      const delayMs = delayAfter(policy, tried, error);
      if (Date.now() + delayMs > end) throw error;
      await sleep(delayMs, signal);
    }
  }
}

/** Half of the wait is chance, so that clients that failed together do not come back together. */
export function delayAfter(policy: RetryPolicy, tried: number, error: unknown): number {
  const full = Math.min(policy.firstDelayMs * 2 ** (tried - 1), policy.maxDelayMs);
  const delayMs = full / 2 + (Math.random() * full) / 2;
  const asked = error instanceof ProblemError ? error.retryAfterMs : null;
  return asked === null ? delayMs : asked + delayMs;
}

/** `Retry-After` as milliseconds: it holds seconds or a date. */
export function parseRetryAfter(header: string | null, now: number): number | null {
  if (header === null) return null;
  if (/^\d+$/.test(header)) return Number(header) * 1000;
  const date = Date.parse(header);
  return Number.isNaN(date) ? null : Math.max(date - now, 0);
}

/** Waits; rejects with the signal's reason as soon as it aborts. */
export function sleep(milliseconds: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted();
    const abort = (): void => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', abort);
      resolve();
    }, milliseconds);
    signal?.addEventListener('abort', abort, { once: true });
  });
}
