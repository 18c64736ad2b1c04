/** The thread that archives: it waits for the ledger's writer and for the disks, which no request has to. */

import { parentPort, workerData } from 'node:worker_threads';
import { StoreError, type StoreFault } from '../store-error.ts';
import { LedgerArchiver } from './archiver.ts';
import { faultIn, reasonOf } from './sqlite-fault.ts';
import type { Answer, Ask, Files } from './start-archiver.ts';

const port = parentPort!;
const { path, archive } = workerData as Files;
let archiver: LedgerArchiver | null = null;

port.on('message', ({ verb, args }: Ask) => {
  port.postMessage(answer(verb, args));
  if (verb === 'close') port.close();
});

function answer(verb: Ask['verb'], args: Ask['args']): Answer {
  try {
    if (verb === 'close') return { result: archiver?.close() };
    archiver ??= new LedgerArchiver(path, archive);
    const call = archiver[verb] as (...given: readonly unknown[]) => unknown;
    return { result: call.apply(archiver, [...args]) };
  } catch (error) {
    return { fault: error instanceof StoreError ? error.fault : notWritable(error) };
  }
}

const notWritable = (error: unknown): StoreFault => ({ code: 'not-writable', reason: reasonOf(faultIn(error)) });
