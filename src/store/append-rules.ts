/**
 * The rules of an append, one copy for every engine: what is refused before the ledger is asked, and what the stream's
 * past then makes of the rest.
 */

import { type AppendRequest, eventOverheadBytes, maxAppendBytes, type NewEvent } from './event-store.ts';
import { StoreError, type StoreFault } from './store-error.ts';

/** A stream's past, as far as an append has to know it. */
export interface StreamPast {
  /** Revision of the last event; -1 where there is none. */
  readonly revision: number;
  /** Position of the last event; 0 where there is none. */
  readonly position: number;
  /** Id of the last event; null where there is none. */
  readonly eventId: string | null;
  holds(eventId: string): boolean;
  /** Id of the event at a revision; undefined where there is none. */
  eventIdAt(revision: number): string | undefined;
  /** At most `count` events from this revision on. */
  events(from: number, count: number): readonly { readonly id: string; readonly position: number }[];
  receipt(commandId: string): PastReceipt | undefined;
}

export interface PastReceipt {
  readonly bodyHash: string;
  readonly eventCount: number;
  readonly lastRevision: number;
  readonly position: number;
}

export type Verdict =
  | { readonly kind: 'write' }
  /** The same append was made before: its answer, again. */
  | { readonly kind: 'repeat'; readonly revision: number; readonly position: number }
  | { readonly kind: 'stale'; readonly actual: number }
  /** An id of an event, or of the receipt's command, that the stream already holds. */
  | { readonly kind: 'duplicate'; readonly id: string };

/** Decides one append on a stream's past. Pure; `checkAppend` comes first. */
export function judgeAppend(request: AppendRequest, past: StreamPast): Verdict {
  const { expectedRevision, events, receipt } = request;
  const known = receipt && past.receipt(receipt.commandId);

  const earlier = earlierAnswer(request, past, known);
  if (earlier) return earlier;
  const { expectedEventId = past.eventId } = request;
  if (expectedRevision !== past.revision || expectedEventId !== past.eventId) {
    return { kind: 'stale', actual: past.revision };
  }
  if (receipt && known) return { kind: 'duplicate', id: receipt.commandId };
  const twin = past.revision < 0 ? undefined : events.find((event) => past.holds(event.id));
  return twin ? { kind: 'duplicate', id: twin.id } : { kind: 'write' };
}

/**
 * A retry is told from a lost race by its ids alone: they stand exactly where the append wants to put them. One that
 * brings a receipt must also have left the same receipt then, so that another body under an old key is no retry, nor are
 * fewer events that happen to be the first of those.
 */
function earlierAnswer(request: AppendRequest, past: StreamPast, known: PastReceipt | undefined): Verdict | null {
  const { expectedRevision, events, receipt } = request;
  if (receipt && (known?.bodyHash !== receipt.bodyHash || known.eventCount !== events.length)) return null;
  if (events.length === 0) {
    const same = known?.eventCount === 0 && known.lastRevision === expectedRevision;
    return same && restsOn(request, past)
      ? { kind: 'repeat', revision: known.lastRevision, position: known.position }
      : null;
  }
  if (expectedRevision >= past.revision) return null;
  const there = past.events(expectedRevision + 1, events.length);
  if (there.length < events.length || there.some((event, index) => event.id !== events[index]!.id)) return null;
  if (!restsOn(request, past)) return null;
  return { kind: 'repeat', revision: expectedRevision + events.length, position: there.at(-1)!.position };
}

/** Whoever rests on an event that is not there has seen another stream than this, whatever else is the same. */
function restsOn({ expectedRevision, expectedEventId }: AppendRequest, past: StreamPast): boolean {
  return expectedEventId === undefined || past.eventIdAt(expectedRevision) === expectedEventId;
}

/** What a verdict means to the caller who is refused. */
export function faultOf({ stream, expectedRevision }: AppendRequest, verdict: Verdict): StoreFault | null {
  if (verdict.kind === 'stale')
    return { code: 'wrong-expected-revision', stream, expected: expectedRevision, actual: verdict.actual };
  if (verdict.kind === 'duplicate') return { code: 'duplicate-event-id', stream, eventId: verdict.id };
  return null;
}

/** Refuses what no ledger could store. Returns the append's size in bytes. @throws StoreError */
export function checkAppend(request: AppendRequest): number {
  const { stream, expectedRevision, events, receipt } = request;
  const invalid = (reason: string): never => {
    throw new StoreError({ code: 'invalid-append', stream, reason });
  };
  if (!isName(stream, maxStreamLength))
    invalid(`a stream's name has 1 to ${maxStreamLength} characters and does not start with "$"`);
  if (!Number.isSafeInteger(expectedRevision) || expectedRevision < -1)
    invalid(`the expected revision is -1 or more, exactly; ${expectedRevision} is not`);
  if (events.length === 0 && !receipt) invalid('it has no events and no receipt, so there is nothing to keep');
  if (events.length === 0 && expectedRevision < 0) invalid('a receipt alone follows an event, and there is none');
  if (receipt && (receipt.commandId === '' || receipt.bodyHash === ''))
    invalid("a receipt names its command and the hash of the command's body");

  let bytes = 0;
  for (const event of events) {
    const flaw = flawOf(event);
    if (flaw) invalid(`the event ${event.id} ${flaw}`);
    bytes += Buffer.byteLength(event.data) + Buffer.byteLength(event.metadata);
    bytes += 2 * event.type.length + eventOverheadBytes;
  }
  const repeated = repeatedId(events);
  if (repeated !== undefined) throw new StoreError({ code: 'duplicate-event-id', stream, eventId: repeated });
  if (bytes > maxAppendBytes) throw new StoreError({ code: 'append-too-large', stream, bytes, limit: maxAppendBytes });
  return bytes;
}

/** Long enough for the longest host name with an agent's type behind it. */
const maxStreamLength = 1000;

const uuid = /^(?!00000000-0000-0000-0000-000000000000)[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
const timestamp = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/;

function flawOf({ id, type, v, time, data, metadata }: NewEvent): string | null {
  if (!uuid.test(id)) return 'has an id that is no lower-case UUID';
  if (!isName(type, maxStreamLength)) return 'has a type that is empty, too long or starts with "$"';
  if (!Number.isSafeInteger(v) || v < 1) return `has the schema version ${v}; the first is 1`;
  if (!timestamp.test(time)) return `has the time ${time}, which is not RFC 3339 UTC with milliseconds`;
  if (!isJsonObject(data)) return 'has data that is not the text of a JSON object';
  if (!isJsonObject(metadata)) return 'has metadata that is not the text of a JSON object';
  return null;
}

/** Names that start with `$` belong to the engines (EventStoreDB keeps its own streams and events under them). */
const isName = (name: string, maxLength: number): boolean =>
  name.length > 0 && name.length <= maxLength && name[0] !== '$' && name.isWellFormed();

/**
 * The text was serialised by the caller and is not parsed again; this catches what was never an object, and half
 * characters, which no UTF-8 file could give back.
 */
const isJsonObject = (text: string): boolean =>
  typeof text === 'string' && text.startsWith('{') && text.endsWith('}') && text.isWellFormed();

function repeatedId(events: readonly NewEvent[]): string | undefined {
  if (events.length < 2) return undefined;
  const seen = new Set<string>();
  return events.find(({ id }) => seen.size === seen.add(id).size)?.id;
}
