/**
 * A controller that aborts as soon as one of the signals does, with its reason. Once it has aborted, whatever for, the
 * signals know nothing of it: who makes one for each request, of a signal that lives as long as the process, aborts it
 * in the end. Of what `AbortSignal.any` makes, such a signal would keep a trace for good in Node 20 and 22.
 */
export function abortingWith(...signals: readonly AbortSignal[]): AbortController {
  const controller = new AbortController();
  for (const signal of signals) {
    const abort = (): void => controller.abort(signal.reason);
    if (signal.aborted) abort();
    else signal.addEventListener('abort', abort, { once: true, signal: controller.signal });
  }
  return controller;
}
