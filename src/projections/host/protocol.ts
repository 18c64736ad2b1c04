/** What the read models and the thread they live in say to each other. */

import type { ResourceRef } from '../../domain/kernel/resource.ts';
import { parsePosition, type RecordedEvent } from '../../store/event-store.ts';
import type { Applied, Batch, Retried, Whereabouts } from '../models/model.ts';
import type { FeedEvent } from '../models/projection.ts';
import type { QueryName } from '../queries.ts';

/** Events as two flat lists, the cheapest form to copy between threads. */
export interface EncodedEvents {
  readonly texts: readonly string[];
  readonly numbers: readonly number[];
}

/** One entry a call: what is asked, and what is answered. */
export interface Calls {
  /** Fills a new file from the ledger's own. */
  load: { ask: null; answer: Whereabouts };
  whereabouts: { ask: null; answer: Whereabouts };
  apply: { ask: Omit<Batch, 'events'> & { readonly events: EncodedEvents }; answer: Applied };
  retry: {
    ask: { readonly resource: ResourceRef; readonly events: EncodedEvents; readonly complete: boolean };
    answer: Retried;
  };
  ask: { ask: { readonly name: QueryName; readonly ask: unknown }; answer: { position: string; value: unknown } };
  promote: { ask: { readonly path: string }; answer: null };
  close: { ask: null; answer: null };
}

export type CallName = keyof Calls;

export interface Request<C extends CallName = CallName> {
  readonly id: number;
  readonly call: C;
  readonly ask: Calls[C]['ask'];
}

export type Reply =
  /** Comes once, first. */
  | { readonly kind: 'opened'; readonly whereabouts: Whereabouts }
  | { readonly kind: 'progress'; readonly events: number }
  | { readonly kind: 'answer'; readonly id: number; readonly answer: unknown }
  /** `id` is null where the file could not be opened. */
  | { readonly kind: 'fault'; readonly id: number | null; readonly fault: Fault };

export interface Fault {
  readonly code: 'invalid-query' | 'failed' | 'damaged';
  readonly reason: string;
}

export function encodeEvents(events: readonly RecordedEvent[]): EncodedEvents {
  const texts: string[] = [];
  const numbers: number[] = [];
  for (const { stream, revision, position, id, type, v, time, dataText, metadataText } of events) {
    texts.push(stream, id, type, time, dataText, metadataText);
    numbers.push(revision, parsePosition(position), v);
  }
  return { texts, numbers };
}

export function decodeEvents({ texts, numbers }: EncodedEvents): FeedEvent[] {
  const events: FeedEvent[] = [];
  for (let text = 0, number = 0; text < texts.length; text += 6, number += 3) {
    events.push({
      stream: texts[text]!,
      revision: numbers[number]!,
      position: numbers[number + 1]!,
      id: texts[text + 1]!,
      type: texts[text + 2]!,
      v: numbers[number + 2]!,
      time: texts[text + 3]!,
      data: texts[text + 4]!,
      metadata: texts[text + 5]!,
    });
  }
  return events;
}
