import { pause } from '../../pause.ts';
import { type EventStore, formatPosition, parsePosition, type RecordedEvent } from '../../store/event-store.ts';
import type { Applied } from '../models/model.ts';
import type { ModelClient } from './model-client.ts';
import { encodeEvents } from './protocol.ts';

/** What one transaction may hold, so that questions in between do not wait for long. */
const maxBatchEvents = 2048;
const maxBatchCharacters = 2_000_000;

/**
 * At the head of a busy ledger every commit would be a batch of its own, and its transaction would cost the machine as
 * much as the commit itself. So the feed rests after each batch, for a multiple of the time that it took: on a quiet ledger
 * that is next to nothing; on a busy one what happens meanwhile goes together, and a resource that has changed several
 * times is written once.
 */
const restForWork = 9;
const longestRestMs = 200;

/** The model is not where the feed thought it was; the feed goes on from where it is. */
class OutOfStep extends Error {
  override readonly name = 'OutOfStep';
}

export interface FeedOptions {
  readonly store: EventStore;
  readonly client: ModelClient;
  /** The model's checkpoint. */
  readonly from: number;
  readonly signal: AbortSignal;
  /** Whether somebody wants to know what changed. */
  readonly isWatched: () => boolean;
  readonly onApplied: (applied: Applied) => void;
  readonly onCaughtUp: () => void;
}

/**
 * Follows the ledger and gives its events to a model, in batches. One batch is with the model while the next is gathered;
 * then the feed waits, and nothing is read ahead.
 *
 * @throws OutOfStep, ViewsError, StoreError
 */
export async function feed(options: FeedOptions): Promise<void> {
  const { store, from, signal, onCaughtUp } = options;
  const sender = new Sender(options);
  let events: RecordedEvent[] = [];
  let characters = 0;
  for await (const message of store.subscribe({ after: formatPosition(from), signal })) {
    if (message.kind === 'event') {
      const { event } = message;
      events.push(event);
      characters += event.dataText.length + event.metadataText.length;
      if (events.length < maxBatchEvents && characters < maxBatchCharacters) continue;
      await sender.send(events, parsePosition(event.position));
    } else {
      const start = performance.now();
      await sender.send(events, parsePosition(message.position));
      await sender.settled();
      onCaughtUp();
      const rest = Math.min((performance.now() - start) * restForWork, longestRestMs);
      await pause(rest, signal);
    }
    events = [];
    characters = 0;
  }
  await sender.settled();
}

class Sender {
  readonly #options: FeedOptions;
  #after: number;
  #underWay: Promise<void> = Promise.resolve();

  constructor(options: FeedOptions) {
    this.#options = options;
    this.#after = options.from;
  }

  /** Settles when the batch before is applied; this one is then under way. */
  async send(events: readonly RecordedEvent[], upTo: number): Promise<void> {
    await this.#underWay;
    if (upTo === this.#after) return;
    const { client, isWatched } = this.#options;
    const batch = { after: this.#after, upTo, events: encodeEvents(events), watched: isWatched() };
    this.#after = upTo;
    this.#underWay = this.#apply(client.call('apply', batch));
    this.#underWay.catch(() => {}); // the next send, or `settled`, hears of it
  }

  settled(): Promise<void> {
    return this.#underWay;
  }

  async #apply(call: Promise<Applied>): Promise<void> {
    const applied = await call;
    if (!applied.fits) throw new OutOfStep(`The model is at ${applied.position}.`);
    this.#options.onApplied(applied);
  }
}
