import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { Verdict } from '../../client/answers.ts';
import type { BulkCommand } from '../../client/bulk.ts';
import type { Client } from '../../client/client.ts';
import { type Problem, ProblemError } from '../../client/errors.ts';
import { type Observation, translate } from '../../ingest/translate.ts';
import type { Message } from './message.ts';

/** What became of the messages, and of the observations that were made of them. */
export interface Summary {
  messages: number;
  /** Messages that say nothing the ledger records, by the reason. */
  skipped: Record<string, number>;
  rejected: number;
  /** Observations that were recorded as an event. */
  recorded: number;
  /** Among these: what the rules would not have led to, and what came after newer news. */
  unexpected: number;
  late: number;
  /** Observations that told nothing new. */
  unchanged: number;
  /** Observations that the ledger had already, from an earlier delivery. */
  repeated: number;
}

/** A message that could not be taken, and why. */
export interface Reject {
  readonly place: string;
  readonly reason: string;
  readonly message: unknown;
}

interface IngestOptions {
  readonly client: Client;
  readonly reject: (reject: Reject) => void;
  readonly onProgress?: (messages: number) => void;
  readonly batchSize?: number;
}

/** A message of which some observations have no verdict yet. */
interface Open {
  readonly message: Message;
  left: number;
  problem: Problem | null;
}

/**
 * Gives the ledger what the messages say, in their order. Each observation has a key that follows from its message, so
 * that a message that comes twice, or again after a crash, is recorded once. A message is settled when the ledger has
 * answered for all that was made of it: what was not settled must be given again.
 *
 * @throws ConnectionError, ProblemError where the ledger cannot be reached, is overloaded for long, or turns us away
 */
export async function ingest(
  messages: AsyncIterable<Message>,
  { client, reject, onProgress = () => {}, batchSize = 500 }: IngestOptions,
): Promise<Summary> {
  const summary: Summary = {
    messages: 0,
    skipped: {},
    rejected: 0,
    recorded: 0,
    unexpected: 0,
    late: 0,
    unchanged: 0,
    repeated: 0,
  };
  const keys = new KeyRing();
  const open: Open[] = [];
  const before = await client.position();

  function refused(message: Message, reason: string): void {
    summary.rejected++;
    reject({ place: message.place, reason, message: message.content });
    message.settle?.('rejected');
  }

  async function* commands(): AsyncGenerator<BulkCommand, void, undefined> {
    for await (const message of messages) {
      onProgress(++summary.messages);
      const translation = translate(message.content);
      if (translation.outcome === 'rejected') refused(message, translation.reason);
      if (translation.outcome === 'skipped') {
        summary.skipped[translation.reason] = (summary.skipped[translation.reason] ?? 0) + 1;
        message.settle?.('taken');
      }
      if (translation.outcome !== 'observed') continue;
      const { observations, notification } = translation;
      open.push({ message, left: observations.length, problem: null });
      const key = keys.keyOf(notification.messageId, message.content);
      for (const [index, observation] of observations.entries()) yield commandOf(observation, `${key}/${index}`);
    }
  }

  for await (const verdict of client.commands(commands(), { batchSize })) {
    count(verdict, summary, before, keys);
    const [first] = open as [Open];
    if (!verdict.done && !isKeyReused(verdict.problem)) first.problem = verdict.problem;
    if (--first.left > 0) continue;
    open.shift();
    if (first.problem) refused(first.message, reasonOf(first.problem));
    else first.message.settle?.('taken');
  }
  return summary;
}

const commandOf = ({ kind, id, type, data }: Observation, key: string): BulkCommand =>
  ({ kind, id, type, data, key }) as BulkCommand;

/** These concern whoever asks, not the message: to go on would only lose messages. */
const fatal: readonly number[] = [401, 403, 429, 502, 503, 504];

function count(verdict: Verdict, summary: Summary, before: string, keys: KeyRing): void {
  if (!verdict.done) {
    if (fatal.includes(verdict.problem.status)) throw new ProblemError(verdict.problem);
    if (isKeyReused(verdict.problem)) summary.repeated++;
    return;
  }
  const { events, key, position } = verdict;
  if (keys.isRepeated(key) || (events.length > 0 && position <= before)) {
    summary.repeated++;
    return;
  }
  if (events.length === 0) {
    summary.unchanged++;
    return;
  }
  summary.recorded++;
  if (events.some(({ data }) => data.unexpected === true)) summary.unexpected++;
  if (events.some(({ data }) => data.late === true)) summary.late++;
}

/** The message was taken before by a version of this program that made something else of it. */
const isKeyReused = ({ type }: Problem): boolean => type.endsWith('/key-reused');

const reasonOf = ({ title, detail, errors = [] }: Problem): string =>
  [detail ?? title, ...errors.map(({ pointer, detail: flaw }) => `${pointer}: ${flaw}`)].join(' ');

/** How many messages a broker may have delivered between the two deliveries of one. */
const remembered = 10_000;

/** Gives each message its key. */
class KeyRing {
  readonly #seen = new LRUCache<string, number>({ max: remembered });
  readonly #nth = new Map<string, number>();

  /**
   * A message is known by its id. Recordings lack it: there it is the text that counts, and how often it came before,
   * since a cloud says the same again when the same has happened again.
   */
  keyOf(messageId: string | null, content: unknown): string {
    if (messageId !== null) return `oslo-${messageId}`.slice(0, 240);
    const text = typeof content === 'string' ? content : JSON.stringify(content);
    const hash = createHash('sha256').update(text).digest('base64url');
    const nth = (this.#nth.get(hash) ?? 0) + 1;
    this.#nth.set(hash, nth);
    return `text-${hash}-${nth}`;
  }

  /** Whether there was a verdict on it before. */
  isRepeated(key: string): boolean {
    if (this.#seen.has(key)) return true;
    this.#seen.set(key, 1);
    return false;
  }
}
