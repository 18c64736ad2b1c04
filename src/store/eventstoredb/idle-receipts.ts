import { createHash } from 'node:crypto';
import type { PastReceipt } from '../append-rules.ts';
import { formatPosition, parsePosition, type Receipt } from '../event-store.ts';
import { internalEvent, internalPrefix, type WireEvent } from './wire-event.ts';

/**
 * Receipts of commands that found their work done. There is no event that could carry them, so each stream has another
 * beside it for these. A receipt lies in it once, however often it is given.
 */

const receiptPrefix = `${internalPrefix}receipts-`;

export const receiptStreamOf = (stream: string): string => receiptPrefix + stream;

/** The stream that a stream of receipts belongs to; null for any other. */
export const subjectOf = (stream: string): string | null =>
  stream.startsWith(receiptPrefix) ? stream.slice(receiptPrefix.length) : null;

interface IdleReceipt {
  readonly commandId: string;
  readonly bodyHash: string;
  readonly lastRevision: number;
  readonly position: string;
}

export function idleReceiptEvent(stream: string, receipt: Receipt, lastRevision: number, position: number): WireEvent {
  const { commandId, bodyHash } = receipt;
  const data: IdleReceipt = { commandId, bodyHash, lastRevision, position: formatPosition(position) };
  return internalEvent(nameUuid(`${stream}\n${commandId}`), 'ReceiptKept', data);
}

export function idleReceiptIn(data: unknown): PastReceipt & { readonly commandId: string } {
  const { commandId, bodyHash, lastRevision, position } = data as IdleReceipt;
  return { commandId, bodyHash, lastRevision, position: parsePosition(position), eventCount: 0 };
}

/** The same name always gives the same id: version 8 of RFC 9562, whose meaning is its maker's. */
function nameUuid(name: string): string {
  const digest = createHash('sha256').update(name).digest('hex');
  return `${digest.slice(0, 8)}-${digest.slice(8, 12)}-8${digest.slice(13, 16)}-8${digest.slice(17, 20)}-${digest.slice(20, 32)}`;
}
