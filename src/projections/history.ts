import type { Actor } from '../domain/kernel/actor.ts';
import type { Aggregate, Lifetime } from '../domain/kernel/aggregate.ts';
import { type ResourceRef, streamOf } from '../domain/kernel/resource.ts';
import type { EventStore, RecordedEvent } from '../store/event-store.ts';
import { foldRecorded, UnfoldableEvent } from './folding.ts';
import { foldWithPatch, type JsonPatchOperation } from './patch.ts';

export interface HistoryQuery {
  readonly order: 'asc' | 'desc';
  /** At most so many entries. */
  readonly limit: number;
  /** The revision after which (`asc`) or before which (`desc`) the page begins. Default: the beginning, or the end. */
  readonly marker?: number;
  /** Whether each entry carries the change it made to the state. */
  readonly diff: boolean;
}

export interface HistoryPage {
  readonly entries: readonly HistoryEntry[];
  /** The marker of the next page; null where this is the last one. */
  readonly next: number | null;
  readonly lastRevision: number;
}

export interface HistoryEntry {
  readonly event: RecordedEvent;
  readonly actor: Actor | null;
  readonly cause: Cause;
  /** Time since the event before; null for the first. */
  readonly sincePreviousMs: number | null;
  /** Where the event changed the status people know the resource by. */
  readonly statusChange: StatusChange | null;
  readonly patch?: readonly JsonPatchOperation[];
  /** Where the rules of this program cannot fold the event; until the next life begins, no entry tells of the state. */
  readonly unfoldable?: string;
}

/** What led to an event. */
export interface Cause {
  readonly commandType: string | null;
  readonly commandId: string | null;
  readonly correlationId: string | null;
  readonly causationId: string | null;
  readonly requestId: string | null;
}

export interface StatusChange {
  readonly from: string | null;
  readonly to: string;
  /** How long the status before had lasted. */
  readonly lastedMs: number | null;
}

/** However large its events are, a page is cut here, so that no history can fill the memory. */
const maxPageCharacters = 8_000_000;

/**
 * A page of a resource's history. The stream is folded from its beginning, one event at a time, since only that tells
 * how long a status lasted; nothing but the page is kept. Null where nothing was ever recorded.
 */
export async function historyOf(
  store: EventStore,
  aggregate: Aggregate,
  resource: ResourceRef,
  query: HistoryQuery,
): Promise<HistoryPage | null> {
  const stream = streamOf(resource);
  const lastRevision = await lastRevisionOf(store, stream);
  if (lastRevision === null) return null;

  const { first, last } = rangeOf(query, lastRevision);
  const teller = new Teller(aggregate, resource.id);
  const page: HistoryEntry[] = [];
  let size = 0;
  for await (const event of store.readStream(stream)) {
    if (event.revision > last) break;
    if (event.revision < first) {
      teller.skip(event);
      continue;
    }
    const entry = teller.tell(event, query.diff);
    page.push(entry);
    size += sizeOf(entry);
    if (size <= maxPageCharacters) continue;
    if (query.order === 'asc') break;
    while (size > maxPageCharacters && page.length > 1) size -= sizeOf(page.shift()!);
  }
  return {
    entries: query.order === 'asc' ? page : page.toReversed(),
    next: nextMarker(query, page, lastRevision),
    lastRevision,
  };
}

async function lastRevisionOf(store: EventStore, stream: string): Promise<number | null> {
  for await (const { revision } of store.readStream(stream, { direction: 'backwards', limit: 1 })) return revision;
  return null;
}

function rangeOf({ order, limit, marker }: HistoryQuery, lastRevision: number): { first: number; last: number } {
  if (order === 'asc') {
    const first = (marker ?? -1) + 1;
    return { first, last: first + limit - 1 };
  }
  const last = Math.min((marker ?? lastRevision + 1) - 1, lastRevision);
  return { first: Math.max(last - limit + 1, 0), last };
}

function nextMarker({ order }: HistoryQuery, page: readonly HistoryEntry[], lastRevision: number): number | null {
  const edge = (order === 'asc' ? page.at(-1) : page[0])?.event.revision;
  if (edge === undefined) return null;
  return edge === (order === 'asc' ? lastRevision : 0) ? null : edge;
}

const sizeOf = ({ event, patch }: HistoryEntry): number =>
  event.dataText.length + event.metadataText.length + (patch ? JSON.stringify(patch).length : 0) + 500;

/** Folds a stream and remembers what the next entry says about what came before it. */
class Teller {
  readonly #aggregate: Aggregate;
  readonly #id: string;
  #state: Lifetime | null = null;
  #status: string | null = null;
  #statusSince = '';
  #previous = '';

  constructor(aggregate: Aggregate, id: string) {
    this.#aggregate = aggregate;
    this.#id = id;
  }

  skip(event: RecordedEvent): void {
    this.#fold(event, false);
    this.#advance(event.time);
  }

  tell(event: RecordedEvent, diff: boolean): HistoryEntry {
    const folded = this.#fold(event, diff);
    const sincePreviousMs = millisecondsBetween(this.#previous, event.time);
    return {
      event,
      actor: (event.metadata.actor as Actor | undefined) ?? null,
      cause: causeOf(event),
      sincePreviousMs,
      statusChange: this.#advance(event.time),
      ...folded,
    };
  }

  #fold(event: RecordedEvent, diff: boolean): Pick<HistoryEntry, 'patch' | 'unfoldable'> {
    try {
      if (!diff) {
        this.#state = foldRecorded(this.#aggregate, this.#id, this.#state, event);
        return {};
      }
      const { state, patch } = foldWithPatch(this.#aggregate, this.#id, this.#state, event);
      this.#state = state;
      return { patch };
    } catch (error) {
      if (!(error instanceof UnfoldableEvent)) throw error;
      this.#state = null;
      return { unfoldable: error.message };
    }
  }

  #advance(time: string): StatusChange | null {
    this.#previous = time;
    const to = this.#state && this.#aggregate.status(this.#state);
    if (to === null || to === this.#status) return null;
    const change = { from: this.#status, to, lastedMs: millisecondsBetween(this.#statusSince, time) };
    this.#status = to;
    this.#statusSince = time;
    return change;
  }
}

const millisecondsBetween = (from: string, to: string): number | null =>
  from === '' ? null : Date.parse(to) - Date.parse(from);

function causeOf({ metadata }: RecordedEvent): Cause {
  const text = (name: string): string | null => {
    const value = metadata[name];
    return typeof value === 'string' ? value : null;
  };
  return {
    commandType: text('commandType'),
    commandId: text('commandId'),
    correlationId: text('$correlationId'),
    causationId: text('$causationId'),
    requestId: text('requestId'),
  };
}
