import { Worker } from 'node:worker_threads';
import { threadEntry } from '../thread-entry.ts';
import type { FromWriter, ToWriter } from './protocol.ts';
import type { WriterOptions } from './writer.ts';

/** A running writer thread, as the queue in front of it sees it. */
export interface WriterThread {
  send(message: ToWriter): void;
}

export interface WriterListener {
  onMessage(message: FromWriter): void;
  /** The thread is gone, on request or not; `error` says why where it is known. Comes once, last. */
  onExit(error: Error | null): void;
}

export type StartWriter = (listener: WriterListener) => WriterThread;

export const writerThread =
  (options: WriterOptions): StartWriter =>
  (listener) => {
    const worker = new Worker(threadEntry(import.meta.url, 'writer-thread'), { workerData: options });
    let lastError: Error | null = null;
    worker.on('message', (message: FromWriter) => listener.onMessage(message));
    worker.on('error', (error: Error) => {
      lastError = error;
    });
    worker.on('exit', () => listener.onExit(lastError));
    return { send: (message) => worker.postMessage(message) };
  };
