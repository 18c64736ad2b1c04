import { setTimeout as timer } from 'node:timers/promises';

/**
 * Lets real time pass, until the signal aborts at the latest; keeps no process alive. It settles either way: whoever goes on
 * looks at the signal.
 */
export const pause = (milliseconds: number, signal: AbortSignal): Promise<void> =>
  timer(milliseconds, undefined, { signal, ref: false }).catch(() => {});
