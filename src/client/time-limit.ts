/** A signal that aborts when the caller's does, or when time is up. */
export interface TimeLimit {
  readonly signal: AbortSignal;
  /** Whether it was the clock. */
  readonly expired: boolean;
  /** Time no longer matters; the caller's signal still does. */
  stopClock(): void;
  /** Lets go of the caller's signal, which may live much longer than one request. */
  release(): void;
}

export function timeLimit(milliseconds: number, callers: AbortSignal | undefined): TimeLimit {
  callers?.throwIfAborted();
  const controller = new AbortController();
  let expired = false;
  const timer = setTimeout(() => {
    expired = true;
    controller.abort();
  }, milliseconds);
  const cancel = (): void => controller.abort(callers?.reason);
  callers?.addEventListener('abort', cancel, { once: true });
  const stopClock = (): void => clearTimeout(timer);
  return {
    signal: controller.signal,
    get expired() {
      return expired;
    },
    stopClock,
    release() {
      stopClock();
      callers?.removeEventListener('abort', cancel);
    },
  };
}
