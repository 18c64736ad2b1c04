import { Worker } from 'node:worker_threads';
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
    const worker = new Worker(threadEntry(), { workerData: options });
    let lastError: Error | null = null;
    worker.on('message', (message: FromWriter) => listener.onMessage(message));
    worker.on('error', (error: Error) => {
      lastError = error;
    });
    worker.on('exit', () => listener.onExit(lastError));
    return { send: (message) => worker.postMessage(message) };
  };

/**
 * Built, the thread's file is JavaScript. Under vitest and tsx it is TypeScript, and a thread does not inherit the means
 * to run that: it first registers tsx, a tool of development, for itself.
 */
function threadEntry(): URL {
  if (!import.meta.url.endsWith('.ts')) return new URL('./writer-thread.js', import.meta.url);
  const tsx = import.meta.resolve('tsx/esm/api');
  const entry = new URL('./writer-thread.ts', import.meta.url);
  const script = `import { register } from '${tsx}'; register(); await import('${entry}');`;
  return new URL(`data:text/javascript,${encodeURIComponent(script)}`);
}
