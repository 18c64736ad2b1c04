import { Worker } from 'node:worker_threads';
import { threadEntry } from '../../store/thread-entry.ts';
import type { ModelOptions } from '../models/model.ts';
import type { Aggregates } from '../models/projector.ts';
import { hostModel } from './model-host.ts';
import type { Reply, Request } from './protocol.ts';

/** A running model, as whoever talks to it sees it. */
export interface ModelConnection {
  send(request: Request): void;
  /** Ends it at once, whatever it is doing. */
  terminate(): void;
}

export interface ModelListener {
  onReply(reply: Reply): void;
  /** The model is gone, on request or not; `error` says why where it is known. Comes once, last. */
  onExit(error: Error | null): void;
}

/** Where models run: each in a thread of its own, or in this one. */
export type StartModel = (options: ModelOptions, listener: ModelListener) => ModelConnection;

/** Most of what a rebuild allocates is gone after a few milliseconds; with room for it, little of it is ever copied. */
const youngGenerationMb = 64;

export const inThread: StartModel = (options, listener) => {
  const resourceLimits = { maxYoungGenerationSizeMb: youngGenerationMb };
  const worker = new Worker(threadEntry(import.meta.url, 'model-thread'), { workerData: options, resourceLimits });
  let lastError: Error | null = null;
  worker.on('message', (reply: Reply) => listener.onReply(reply));
  worker.on('error', (error: Error) => {
    lastError = error;
  });
  worker.on('exit', () => listener.onExit(lastError));
  return {
    send: (request) => worker.postMessage(request),
    terminate: () => void worker.terminate(),
  };
};

/**
 * For simulated worlds: no thread and no timer, so that everything happens in the order of one event loop. Also for
 * aggregates other than the program's own.
 */
export const inProcess =
  (aggregates: Aggregates): StartModel =>
  (options, listener) => {
    let isGone = false;
    const later = (work: () => void): void => queueMicrotask(() => isGone || work());
    const exit = (): void => {
      isGone = true;
      listener.onExit(null);
    };
    let handle: (request: Request) => void = () => {};
    later(() => {
      handle = hostModel(options, aggregates, (reply) => isGone || listener.onReply(reply));
    });
    return {
      send: (request) =>
        later(() => {
          handle(request);
          if (request.call === 'close') exit();
        }),
      terminate: () => later(exit),
    };
  };
