import { faultOf, judgeAppend, type StreamPast } from '../append-rules.ts';
import { type AppendRequest, type AppendResult, formatPosition, maxAppendBytes } from '../event-store.ts';
import { isStoreError, StoreError } from '../store-error.ts';
import { untilAnswered } from './attempts.ts';
import type { Appended, Calls } from './calls.ts';
import type { Connection } from './connection.ts';
import { idleReceiptEvent, receiptStreamOf } from './idle-receipts.ts';
import type { KnownStream } from './known-stream.ts';
import type { KnownStreams } from './known-streams.ts';
import { encodeEvents, type WireEvent } from './wire-event.ts';

interface Waiting {
  readonly request: AppendRequest;
  readonly bytes: number;
  readonly resolve: (result: AppendResult) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Appends, one line a stream: the cluster may take two calls that are under way together in either order, so each waits
 * for the one before it. What has gathered in a line meanwhile, each resting on the one before, goes in one call.
 */
export class AppendLines {
  readonly #connection: Connection;
  readonly #calls: Calls;
  readonly #known: KnownStreams;
  /** Settles when this process has seen everything that the database holds at the moment of the call. */
  readonly #caughtUp: () => Promise<void>;
  /** Of each event that is on its way: settles when its append is answered. */
  readonly #underWay = new Map<string, Promise<void>>();
  readonly #lines = new Map<string, { waiting: Waiting[]; ended: Promise<void> }>();

  constructor(connection: Connection, calls: Calls, known: KnownStreams, caughtUp: () => Promise<void>) {
    this.#connection = connection;
    this.#calls = calls;
    this.#known = known;
    this.#caughtUp = caughtUp;
  }

  append(request: AppendRequest, bytes: number): Promise<AppendResult> {
    return new Promise((resolve, reject) => {
      const one = { request, bytes, resolve, reject };
      const line = this.#lines.get(request.stream);
      if (line) line.waiting.push(one);
      else this.#begin(request.stream, [one]);
    });
  }

  /** Settles when what is now in the stream's line has been answered. */
  async settled(stream: string): Promise<void> {
    await this.#lines.get(stream)?.ended;
  }

  /** Settles when the append that brought an event is answered; undefined where none of this process's is under way. */
  answered(eventId: string): Promise<void> | undefined {
    return this.#underWay.get(eventId);
  }

  async drained(): Promise<void> {
    while (this.#lines.size > 0) await Promise.all([...this.#lines.values()].map(({ ended }) => ended));
  }

  #begin(stream: string, waiting: Waiting[]): void {
    const ended = Promise.resolve().then(() => this.#run(stream, waiting));
    this.#lines.set(stream, { waiting, ended });
  }

  async #run(stream: string, waiting: Waiting[]): Promise<void> {
    while (waiting.length > 0) {
      const chain = takeChain(waiting);
      try {
        const left = await this.#carryOut(stream, chain);
        waiting.unshift(...left);
      } catch (error) {
        const fault = asNotWritable(error);
        for (const { reject } of chain) reject(fault);
      }
    }
    this.#lines.delete(stream);
  }

  /** Appends a chain, or answers its first request by what the stream's past says. Gives back what is still to do. */
  async #carryOut(stream: string, chain: readonly Waiting[]): Promise<readonly Waiting[]> {
    const [first, ...rest] = chain as [Waiting, ...Waiting[]];
    const { request } = first;
    const known = request.expectedRevision < 0 ? await this.#known.ofNew(stream) : await this.#known.of(stream);
    if (known.revision !== request.expectedRevision) {
      await known.refresh();
      const past = await known.withEvents(request.expectedRevision, request.events.length);
      return this.#answered(first, past) ? rest : chain;
    }
    if (this.#answered(first, known)) return rest;
    if (request.events.length === 0) return (await this.#keepIdle(first, known)) ? rest : chain;
    const together = rest.length === 0 ? chain : [first, ...plainFollowers(rest, known, request.events)];
    return (await this.#write(together, known)) ? rest.slice(together.length - 1) : chain;
  }

  /** Whether the request has its answer from the past alone. */
  #answered({ request, resolve, reject }: Waiting, past: StreamPast): boolean {
    const verdict = judgeAppend(request, past);
    if (verdict.kind === 'write') return false;
    const fault = faultOf(request, verdict);
    if (fault) reject(new StoreError(fault));
    if (verdict.kind === 'repeat') resolve({ revision: verdict.revision, position: formatPosition(verdict.position) });
    return true;
  }

  /** Writes requests that rest on each other in one call. False where the stream was elsewhere. */
  #write(together: readonly Waiting[], known: KnownStream): Promise<boolean> {
    const events = together.flatMap(({ request }) => encodeEvents(request.events, request.receipt));
    const written = this.#writeTogether(events, together, known);
    const forget = (): void => {
      for (const { id } of events) this.#underWay.delete(id);
    };
    const answered = written.then(forget, forget);
    for (const { id } of events) this.#underWay.set(id, answered);
    return written;
  }

  async #writeTogether(
    events: readonly WireEvent[],
    together: readonly Waiting[],
    known: KnownStream,
  ): Promise<boolean> {
    const { expectedRevision, stream } = together[0]!.request;
    let tries = 0;
    const appended = await this.#surely(async () => {
      const landed = tries++ > 0 ? await this.#landed(stream, expectedRevision, events) : null;
      const answer = landed ?? (await this.#calls.append(stream, expectedRevision, events));
      if (answer.kind === 'refused') await this.#confirmRefusal(known, () => known.revision !== expectedRevision);
      return answer;
    });
    if (appended.kind === 'refused') return false;
    const positions = together.length > 1 ? await this.#positions(stream, expectedRevision + 1, events.length) : null;
    const positionAt = (at: number): string => positions?.get(at) ?? appended.position;
    let revision = expectedRevision;
    for (const { request, resolve } of together) {
      for (const [index, event] of request.events.entries()) {
        revision += 1;
        const isLast = index === request.events.length - 1;
        const receipt = isLast && request.receipt ? { ...request.receipt, eventCount: request.events.length } : null;
        known.note({ id: event.id, revision, position: positionAt(revision) }, receipt);
      }
      resolve({ revision, position: positionAt(revision) });
    }
    return true;
  }

  /** Whether an append whose answer was lost did happen: its events are there, by their ids, where it put them. */
  async #landed(stream: string, expectedRevision: number, events: readonly { id: string }[]): Promise<Appended | null> {
    const last = events.at(-1)!;
    const [there] = await this.#calls.readStored(stream, expectedRevision + events.length, false, 1);
    return there?.event.id === last.id ? { kind: 'written', position: there.event.position } : null;
  }

  /** Where each of several events came to lie; an answer names only the last. */
  async #positions(stream: string, from: number, count: number): Promise<Map<number, string>> {
    const positions = new Map<number, string>();
    while (positions.size < count) {
      const page = await this.#calls.readStored(stream, from + positions.size, false, count - positions.size);
      for (const { event } of page) positions.set(event.revision, event.position);
      if (page.length === 0)
        throw this.#connection.unreachable(new Error(`events of ${stream} that were stored are not there`));
    }
    return positions;
  }

  /** Keeps a receipt that has no event. False where the stream has gone on, or another receipt came first. */
  async #keepIdle({ request, resolve }: Waiting, known: KnownStream): Promise<boolean> {
    const { stream, expectedRevision, receipt } = request;
    await this.#caughtUp();
    if (known.isBehind || known.revision !== expectedRevision) {
      await known.refresh();
      return false;
    }
    const { position, idleRevision } = known;
    const event = idleReceiptEvent(stream, receipt!, expectedRevision, position);
    const kept = await this.#surely(async () => {
      const answer = await this.#calls.append(receiptStreamOf(stream), idleRevision, [event]);
      if (answer.kind === 'refused') await this.#confirmRefusal(known, () => known.idleRevision !== idleRevision);
      return answer;
    });
    if (kept.kind === 'refused') return false;
    const { commandId, bodyHash } = receipt!;
    known.noteIdle(idleRevision + 1, commandId, { bodyHash, eventCount: 0, lastRevision: expectedRevision, position });
    resolve({ revision: expectedRevision, position: formatPosition(position) });
    return true;
  }

  /**
   * An append whose answer is lost may have happened. It is looked for and, where it is not there, given again as it was:
   * at the same exact revision the server takes events with the same ids for the same append, and stores them once.
   */
  #surely<T>(attempt: () => Promise<T>): Promise<T> {
    const { limits, closed } = this.#connection;
    return untilAnswered(attempt, limits.patienceMs, closed, (error) => this.#connection.unreachable(error));
  }

  /**
   * A refusal counts where a read bears it out. A leader that the others have left refuses because of events that it alone
   * has, which nobody will ever read; the append is then tried again, until there is another leader.
   */
  async #confirmRefusal(known: KnownStream, hasMoved: () => boolean): Promise<void> {
    await known.refresh();
    if (!hasMoved()) throw new Error(`an append to ${known.name} is refused at the revision that a read gives`);
  }
}

/** Where the database is out of reach, whoever appends is told that; what was under way may have happened. */
const asNotWritable = (error: unknown): unknown =>
  isStoreError(error, 'unreachable')
    ? new StoreError({ code: 'not-writable', reason: `${error.fault.reason}; the append may have happened` }, error)
    : error;

/** The front of a line: the first request, and those that rest on the one before and fit into the same call. */
function takeChain(waiting: Waiting[]): Waiting[] {
  let { bytes, request } = waiting[0]!;
  let count = 1;
  for (; count < waiting.length; count++) {
    const next = waiting[count]!;
    bytes += next.bytes;
    const rests = next.request.expectedRevision === request.expectedRevision + request.events.length;
    const { expectedEventId = request.events.at(-1)?.id } = next.request;
    const mayFollow = rests && request.events.length > 0 && expectedEventId === request.events.at(-1)?.id;
    if (!mayFollow || bytes > maxAppendBytes) break;
    request = next.request;
  }
  return waiting.splice(0, count);
}

/** Those of a chain that are simply to be written, up to the first that the past has something to say about. */
function plainFollowers(
  chain: readonly Waiting[],
  past: StreamPast,
  before: readonly { id: string }[],
): readonly Waiting[] {
  const ids = new Set(before.map(({ id }) => id));
  const commands = new Set<string>();
  const end = chain.findIndex(({ request: { events, receipt } }) => {
    const repeated = events.some(({ id }) => past.holds(id) || ids.has(id));
    const given = receipt && (past.receipt(receipt.commandId) || commands.has(receipt.commandId));
    for (const { id } of events) ids.add(id);
    if (receipt) commands.add(receipt.commandId);
    return events.length === 0 || repeated || given;
  });
  return end < 0 ? chain : chain.slice(0, end);
}
