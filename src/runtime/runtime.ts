import { hash, randomUUID } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { type Aggregate, decide, type Facts, fold, type Lifetime } from '../domain/kernel/aggregate.ts';
import type { DomainEvent } from '../domain/kernel/events.ts';
import { encode } from '../domain/kernel/events.ts';
import { Refusal, refuser } from '../domain/kernel/refusal.ts';
import { type Kind, type ResourceRef, streamOf } from '../domain/kernel/resource.ts';
import type { EventStore, NewEvent, Receipt, Snapshot } from '../store/event-store.ts';
import { isStoreError } from '../store/store-error.ts';
import { canonicalJson } from './canonical-json.ts';
import { chainLink, withChain } from './chain.ts';
import { type Clock, timestamp } from './clock.ts';
import { type CommandRequest, CurrentState, Done, type EventMetadata, type Outcome } from './command.ts';
import { type Head, loadHead, viewText } from './head.ts';
import { commandIdOf, eventId } from './ids.ts';
import { runtimeRefusals } from './refusals.ts';

/** How often a command is decided anew when others keep changing the resource under it. */
const maxAttempts = 10;

export interface RuntimeOptions {
  readonly store: EventStore;
  readonly aggregates: Readonly<Record<Kind, Aggregate>>;
  readonly clock: Clock;
  /** What decisions may know besides state, time and actor. */
  readonly settings?: object;
  /** Folded resources kept in memory; the rest is loaded when it is asked for. */
  readonly cachedResources?: number;
  /** Events after which a stream's state is kept as a snapshot. */
  readonly snapshotEvery?: number;
  readonly observer?: RuntimeObserver;
}

/** What the runtime tells whoever counts and logs. */
export interface RuntimeObserver {
  commandSettled?(command: { kind: Kind; type: string; outcome: 'done' | 'nothing' | 'refused'; slug?: string }): void;
  raceLost?(kind: Kind): void;
  unknownEvent?(kind: Kind, type: string): void;
  snapshotFailed?(error: unknown): void;
}

const refuse = refuser(runtimeRefusals);

/** Makes commands durable: load, decide, append, answer. */
export class Runtime {
  readonly clock: Clock;
  readonly #store: EventStore;
  readonly #aggregates: Readonly<Record<Kind, Aggregate>>;
  readonly #settings: object;
  readonly #snapshotEvery: number;
  readonly #observer: RuntimeObserver;
  readonly #heads: LRUCache<string, Head>;
  readonly #loading = new Map<string, Promise<Head>>();
  readonly #heardAt = new Map<string, string>();
  readonly #keyed = new Map<string, { bodyHash: string; outcome: Promise<Outcome> }>();

  constructor(options: RuntimeOptions) {
    this.clock = options.clock;
    this.#store = options.store;
    this.#aggregates = options.aggregates;
    this.#settings = options.settings ?? {};
    this.#snapshotEvery = options.snapshotEvery ?? 200;
    this.#observer = options.observer ?? {};
    this.#heads = new LRUCache({ max: options.cachedResources ?? 10_000 });
  }

  /**
   * Carries out one command. Settles after its events are durable; a refusal is a value.
   * @throws StoreError where the ledger cannot take the events
   */
  async execute(request: CommandRequest): Promise<Outcome> {
    const outcome = await (request.key === undefined
      ? this.#decideUntilStored(request, randomUUID())
      : this.#executeKeyed(request, request.key));
    if (outcome.outcome === 'done') this.#noteSignOfLife(request);
    this.#report(request, outcome);
    return outcome;
  }

  /** The resource as it is now, durably; null where nothing was ever recorded. */
  async current(resource: ResourceRef): Promise<CurrentState | null> {
    return (await this.#head(resource)).current;
  }

  /** A retry finds what the first try did: the one still running, or the one whose receipt is stored. */
  async #executeKeyed(request: CommandRequest, key: string): Promise<Outcome> {
    const commandId = commandIdOf(streamOf(request.resource), key);
    const bodyHash = hash('sha256', canonicalJson({ type: request.type, data: request.data }), 'base64url');

    for (let twin = this.#keyed.get(commandId); twin; twin = this.#keyed.get(commandId)) {
      const first = await twin.outcome.catch(() => null);
      if (first?.outcome === 'done') return twin.bodyHash === bodyHash ? first : keyReused(request);
    }
    const outcome = this.#decideUntilStored(request, commandId, { commandId, bodyHash });
    this.#keyed.set(commandId, { bodyHash, outcome });
    try {
      return await outcome;
    } finally {
      this.#keyed.delete(commandId);
    }
  }

  async #decideUntilStored(request: CommandRequest, commandId: string, receipt?: Receipt): Promise<Outcome> {
    for (let attempt = 1; attempt <= maxAttempts; attempt++) {
      const head = await this.#head(request.resource);
      const earlier = receipt && (await this.#earlierOutcome(request, receipt));
      if (earlier) return earlier;
      const outcome = await this.#attempt(request, head, commandId, receipt);
      if (outcome) return outcome;
      this.#observer.raceLost?.(request.resource.kind);
    }
    return refusal(request.resource, () =>
      refuse('race-lost', `${request.type} lost the race against other changes ${maxAttempts} times.`, {
        retryable: true,
      }),
    );
  }

  /** One try. Null where its ground gave way: what it was decided on was not stored. */
  async #attempt(request: CommandRequest, head: Head, commandId: string, receipt?: Receipt): Promise<Outcome | null> {
    const aggregate = this.#aggregates[request.resource.kind];
    const relatives = new Map<string, Head>();
    // The needs follow from the state, which may move on during a load. Nothing is awaited after the last look.
    for (;;) {
      const missing = (aggregate.needs?.(head.state, request) ?? []).filter((other) => !relatives.has(streamOf(other)));
      if (missing.length === 0) break;
      for (const other of missing) relatives.set(streamOf(other), await this.#head(other));
    }
    if (head.broken) return null;
    const { durable } = head;
    const time = later(timestamp(this.clock.now()), head.time);

    let events: DomainEvent[];
    try {
      requireRevision(request, head.revision);
      const facts: Facts & { settings: object } = {
        time,
        actor: request.actor,
        resource: request.resource,
        settings: this.#settings,
        related: {
          stateOf: (other) => relatives.get(streamOf(other))?.current?.state ?? null,
          heardAt: (other) => this.#heardAt.get(streamOf(other)) ?? null,
        },
      };
      events = decide(aggregate, head.state, request, facts);
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      const { revision } = head;
      return (await settled(durable))
        ? { outcome: 'refused', resource: request.resource, refusal: error, revision }
        : null;
    }

    if (events.length > 0 || receipt) return this.#append(request, head, { commandId, time, events, receipt });
    return (await settled(durable)) ? alreadyDone(request, head) : null;
  }

  /**
   * Stores what was decided. Up to the call of the store this is synchronous, so the next command on this stream is
   * decided on top of these events while they are still on their way to the disk. A keyed command that changes nothing
   * still leaves its receipt, so that its retry changes nothing either.
   */
  async #append(request: CommandRequest, head: Head, decision: Decision): Promise<Outcome | null> {
    const aggregate = this.#aggregates[request.resource.kind];
    const expectedRevision = head.revision;
    const { newEvents, eventsText } = advance(aggregate, head, request, decision);
    const state = head.state;
    if (!state) throw new Error(`${request.type} on an unknown ${aggregate.kind} must begin its life or be refused`);
    const stateText = viewText(aggregate, state);
    const { revision, deletedAt } = state;
    const snapshot = this.#snapshotIfDue(head, aggregate, state);

    const { receipt } = decision;
    const appended = this.#store.append({
      stream: head.stream,
      expectedRevision,
      events: newEvents,
      ...(receipt && { receipt }),
    });
    head.durable = appended;
    try {
      const { position } = await appended;
      if (revision > (head.current?.revision ?? -1)) {
        head.current = new CurrentState(revision, position, stateText, deletedAt);
      }
      if (snapshot) this.#keepSnapshot(snapshot);
      return new Done(request.resource, revision, position, eventsText, stateText);
    } catch (error) {
      this.#discard(head);
      if (isStoreError(error, 'wrong-expected-revision')) return null;
      throw error;
    }
  }

  /** The answer that an earlier command with this key got, rebuilt from what it left in the store. */
  async #earlierOutcome(request: CommandRequest, receipt: Receipt): Promise<Outcome | null> {
    const stream = streamOf(request.resource);
    const stored = await this.#store.findReceipt(stream, receipt.commandId);
    if (!stored) return null;
    if (stored.bodyHash !== receipt.bodyHash) return keyReused(request);

    const aggregate = this.#aggregates[request.resource.kind];
    const firstRevision = stored.lastRevision - stored.eventCount + 1;
    const answered: string[] = [];
    let state: Lifetime | null = null;
    for await (const event of this.#store.readStream(stream, { limit: stored.lastRevision + 1 })) {
      state = fold(aggregate, request.resource.id, state, event);
      if (event.revision >= firstRevision) answered.push(answeredEventText(event, event.revision, event.dataText));
    }
    if (!state) throw new Error(`${stream} has a receipt for ${receipt.commandId} but no events`);
    const eventsText = `[${answered.join(',')}]`;
    return new Done(request.resource, stored.lastRevision, stored.position, eventsText, viewText(aggregate, state));
  }

  async #head(resource: ResourceRef): Promise<Head> {
    const stream = streamOf(resource);
    const cached = this.#heads.get(stream);
    if (cached) return cached;
    const running = this.#loading.get(stream);
    if (running) return running;

    const onUnknownEvent = (type: string): void => this.#observer.unknownEvent?.(resource.kind, type);
    const loading = loadHead(this.#store, this.#aggregates[resource.kind], resource, onUnknownEvent);
    this.#loading.set(stream, loading);
    try {
      const head = await loading;
      this.#heads.set(stream, head);
      return head;
    } finally {
      this.#loading.delete(stream);
    }
  }

  /** Forgets a head whose state was decided on but not stored; whoever built on it finds out and loads again. */
  #discard(head: Head): void {
    head.broken = true;
    if (this.#heads.get(head.stream) === head) this.#heads.delete(head.stream);
  }

  #snapshotIfDue(head: Head, aggregate: Aggregate, state: Lifetime): Snapshot | null {
    if (state.revision - head.snapshotRevision < this.#snapshotEvery) return null;
    head.snapshotRevision = state.revision;
    return {
      stream: head.stream,
      revision: state.revision,
      foldVersion: aggregate.foldVersion,
      state: JSON.stringify(state),
    };
  }

  /** A snapshot that cannot be kept costs time at the next load, nothing else. */
  #keepSnapshot(snapshot: Snapshot): void {
    this.#store.saveSnapshot(snapshot).catch((error) => this.#observer.snapshotFailed?.(error));
  }

  #noteSignOfLife({ resource, type }: CommandRequest): void {
    if (!this.#aggregates[resource.kind].signsOfLife?.includes(type)) return;
    this.#heardAt.set(streamOf(resource), timestamp(this.clock.now()));
  }

  #report({ resource, type }: CommandRequest, outcome: Outcome): void {
    this.#observer.commandSettled?.(
      outcome.outcome === 'refused'
        ? { kind: resource.kind, type, outcome: 'refused', slug: outcome.refusal.slug }
        : { kind: resource.kind, type, outcome: outcome.eventsText === '[]' ? 'nothing' : 'done' },
    );
  }
}

interface Decision {
  readonly commandId: string;
  readonly time: string;
  readonly events: readonly DomainEvent[];
  readonly receipt: Receipt | undefined;
}

/** Gives the decided events their place in the stream and folds them into the head. */
function advance(
  aggregate: Aggregate,
  head: Head,
  request: CommandRequest,
  { commandId, time, events }: Decision,
): { newEvents: NewEvent[]; eventsText: string } {
  const metadata = JSON.stringify(metadataOf(request, commandId));
  const answered: string[] = [];
  const newEvents = events.map((decided, index): NewEvent => {
    const { type, v, data } = encode(aggregate.events, decided);
    const event = { id: eventId(commandId, index), type, v, time };
    const revision = head.revision + 1;
    const dataText = JSON.stringify(data);
    const { stream } = head;

    head.chain = chainLink(head.chain, { ...event, stream, revision, dataText, metadataText: metadata });
    // Folded from the text, like every later replay: what JSON cannot keep must not live on in memory either.
    head.state = fold(aggregate, request.resource.id, head.state, { ...event, revision, data: JSON.parse(dataText) });
    head.revision = revision;
    answered.push(answeredEventText(event, revision, dataText));
    return { ...event, data: dataText, metadata: withChain(metadata, head.chain) };
  });
  if (events.length > 0) head.time = time;
  return { newEvents, eventsText: `[${answered.join(',')}]` };
}

/** The answer where the work was done already: nothing to store, the state as it is. */
function alreadyDone({ resource, type }: CommandRequest, { current }: Head): Outcome {
  if (!current) throw new Error(`${type} on an unknown ${resource.kind} must begin its life or be refused`);
  return new Done(resource, current.revision, current.position, '[]', current.stateText);
}

function metadataOf(request: CommandRequest, commandId: string): Omit<EventMetadata, 'chain'> {
  const { actor, type, correlationId = commandId, causationId = commandId, traceparent, requestId } = request;
  return {
    $correlationId: correlationId,
    $causationId: causationId,
    actor,
    commandId,
    commandType: type,
    ...(traceparent !== undefined && { traceparent }),
    ...(requestId !== undefined && { requestId }),
  };
}

const answeredEventText = (
  event: { id: string; type: string; time: string },
  revision: number,
  dataText: string,
): string =>
  `{"id":"${event.id}","type":${JSON.stringify(event.type)},"revision":${revision},"time":"${event.time}","data":${dataText}}`;

function requireRevision({ ifRevision, resource }: CommandRequest, revision: number): void {
  if (ifRevision === undefined || ifRevision === revision) return;
  const is = revision < 0 ? 'does not exist' : `is at revision ${revision}`;
  refuse(
    'revision-mismatch',
    `The ${resource.kind} ${resource.id} ${is}; the command was meant for revision ${ifRevision}.`,
  );
}

function keyReused({ resource, type }: CommandRequest): Outcome {
  return refusal(resource, () =>
    refuse('key-reused', `The Idempotency-Key came before with another body than this ${type}.`),
  );
}

/** Turns a refusal that is thrown into one that is answered. */
function refusal(resource: ResourceRef, refusing: () => never, revision = -1): Outcome {
  try {
    return refusing();
  } catch (error) {
    if (error instanceof Refusal) return { outcome: 'refused', resource, refusal: error, revision };
    throw error;
  }
}

/** Whether what was decided before is now durable, rather than lost. */
const settled = (durable: Promise<unknown>): Promise<boolean> =>
  durable.then(
    () => true,
    () => false,
  );

const later = (a: string, b: string): string => (a > b ? a : b);
