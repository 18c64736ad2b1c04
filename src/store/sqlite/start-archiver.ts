import { Worker } from 'node:worker_threads';
import type { Archiver } from '../archive.ts';
import { StoreError, type StoreFault } from '../store-error.ts';
import { threadEntry } from '../thread-entry.ts';
import { prepareArchive } from './archive-file.ts';
import { inspectLedger, locate } from './ledger-file.ts';
import { LedgerLock } from './ledger-lock.ts';

export interface Files {
  readonly path: string;
  readonly archive: string;
}

export interface Ask {
  readonly verb: keyof Archiver;
  readonly args: readonly unknown[];
}

export type Answer = { readonly result: unknown } | { readonly fault: StoreFault };

/** Archives for a process that has the ledger open, with an archive. @throws StoreError unusable-ledger */
export function archiverBeside(ledgerFile: string): Archiver {
  const path = locate(ledgerFile, true);
  return startArchiver({ path, archive: prepareArchive(path) });
}

/**
 * Archives on a ledger that nobody has open, and keeps others off meanwhile; makes the archive where there is none.
 *
 * @throws StoreError ledger-locked | unusable-ledger
 */
export function archiverAlone(
  ledgerFile: string,
  archiveFile?: string,
): { readonly archiver: Archiver; readonly archive: string } {
  const path = locate(ledgerFile, true);
  const lock = LedgerLock.acquire(path, Date.now);
  try {
    inspectLedger(path);
    const archive = prepareArchive(path, archiveFile);
    const archiver = startArchiver({ path, archive });
    const close = (): Promise<void> => archiver.close().finally(() => lock.release());
    return { archiver: { ...archiver, close }, archive };
  } catch (error) {
    lock.release();
    throw error;
  }
}

/** The thread answers one call after the other, in the order of the calls. */
function startArchiver(files: Files): Archiver {
  const worker = new Worker(threadEntry(import.meta.url, 'archiver-thread'), { workerData: files });
  const waiting: { resolve(result: never): void; reject(error: StoreError): void }[] = [];
  let ended: StoreError | null = null;
  let lastError: Error | undefined;
  worker.on('message', (answer: Answer) => {
    const call = waiting.shift();
    if ('fault' in answer) call?.reject(new StoreError(answer.fault));
    else call?.resolve(answer.result as never);
  });
  worker.on('error', (error: Error) => {
    lastError = error;
  });
  worker.on('exit', () => {
    const reason = `the thread that archives ended (${lastError?.message ?? 'as it was asked to'})`;
    ended = new StoreError({ code: 'not-writable', reason }, lastError);
    for (const call of waiting.splice(0)) call.reject(ended);
  });
  const ask = (verb: Ask['verb'], ...args: readonly unknown[]): Promise<never> =>
    new Promise((resolve, reject) => {
      if (ended) return reject(ended);
      waiting.push({ resolve, reject });
      worker.postMessage({ verb, args } satisfies Ask);
    });
  return {
    idle: (span, after) => ask('idle', span, after),
    move: (ends) => ask('move', ends),
    sizes: () => ask('sizes'),
    close: async () => {
      if (!ended) await ask('close');
    },
  };
}
