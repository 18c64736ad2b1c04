import type { AllStreamResolvedEvent, ResolvedEvent } from '@eventstore/db-client';
import { formatPosition, type NewEvent, type Receipt, RecordedEvent } from '../event-store.ts';

/**
 * How an event lies in EventStoreDB: its data and metadata as JSON, so that other tools can read them, with what the
 * ledger adds under one name in the metadata. Text that would not come back as it was (`1.0`, a key given twice) lies
 * there as bytes instead.
 */

/** Name of the ledger's own part of the metadata; what lacks it was written by somebody else. */
const ownKey = 'stackledger';

/** The ledger's own part. */
interface Own {
  readonly v: number;
  readonly time: string;
  /** Events of the same append that follow. */
  readonly left?: number;
  readonly receipt?: KeptReceipt;
  /** The event's data are the bytes of the metadata's text, so many, and then those of the data's. */
  readonly metadataBytes?: number;
}

/** A receipt as the last event of its command carries it. */
export interface KeptReceipt extends Receipt {
  readonly eventCount: number;
}

export interface StoredEvent {
  readonly event: RecordedEvent;
  readonly receipt: KeptReceipt | null;
  /** Events of the same append that follow. */
  readonly left: number;
}

/** Names of streams that the ledger keeps for itself in the same database. */
export const internalPrefix = 'stackledger.';

/** An event as it is sent. */
export interface WireEvent {
  readonly id: string;
  readonly type: string;
  readonly contentType: 'application/json' | 'application/octet-stream';
  readonly data: Uint8Array;
  readonly metadata: Uint8Array;
}

/** An event of a stream that the ledger keeps for itself. */
export const internalEvent = (id: string, type: string, data: object): WireEvent => ({
  id,
  type,
  contentType: 'application/json',
  data: bytesOf(JSON.stringify(data)),
  metadata: bytesOf('{}'),
});

/** All events of one append. */
export function encodeEvents(events: readonly NewEvent[], receipt: Receipt | undefined): WireEvent[] {
  return events.map((event, index) => {
    const left = events.length - 1 - index;
    const { v, time } = event;
    const kept = left === 0 && receipt && { receipt: { ...receipt, eventCount: events.length } };
    return encode(event, { v, time, ...(left > 0 && { left }), ...kept });
  });
}

function encode({ id, type, data, metadata }: NewEvent, own: Own): WireEvent {
  const described = parsedIfSame(metadata);
  if (parsedIfSame(data) && described && !Object.hasOwn(described, ownKey)) {
    const body = metadata === '{}' ? '' : `${metadata.slice(1, -1)},`;
    const text = `{${body}"${ownKey}":${JSON.stringify(own)}}`;
    return { id, type, contentType: 'application/json', data: bytesOf(data), metadata: bytesOf(text) };
  }
  const metadataBytes = Buffer.byteLength(metadata);
  const text = JSON.stringify({ [ownKey]: { ...own, metadataBytes } });
  return { id, type, contentType: 'application/octet-stream', data: bytesOf(metadata + data), metadata: bytesOf(text) };
}

/** The event if the ledger wrote it, else null. */
export function decode({ event }: ResolvedEvent | AllStreamResolvedEvent): StoredEvent | null {
  const { [ownKey]: own, ...rest } = (event?.metadata ?? {}) as { [ownKey]?: Own };
  if (!event || !own || event.streamId.startsWith(internalPrefix)) return null;
  const { id, type, streamId } = event;
  const { v, time, left = 0, receipt = null } = own;
  const [data, metadata] = textsOf(event.data, rest, own.metadataBytes);
  const position = positionOf(event.position!);
  const recorded = new RecordedEvent(streamId, Number(event.revision), position, { id, type, v, time, data, metadata });
  return { event: recorded, receipt, left };
}

function textsOf(data: unknown, metadata: object, metadataBytes: number | undefined): [string, string] {
  if (metadataBytes === undefined) return [JSON.stringify(data), JSON.stringify(metadata)];
  const bytes = Buffer.from(data as Uint8Array);
  return [bytes.toString('utf8', metadataBytes), bytes.toString('utf8', 0, metadataBytes)];
}

/**
 * A position is the byte of the server's log at which the event begins. Up to 2^53 of them, nine petabytes, are numbers
 * here as well; for a single append, and there are no others, the two parts of the server's position are the same.
 */
export function positionOf({ commit }: { readonly commit: bigint }): string {
  return formatPosition(Number(commit));
}

function parsedIfSame(text: string): Record<string, unknown> | null {
  try {
    const value = JSON.parse(text) as Record<string, unknown>;
    return JSON.stringify(value) === text ? value : null;
  } catch {
    return null;
  }
}

const utf8 = new TextEncoder();

const bytesOf = (text: string): Uint8Array => utf8.encode(text);
