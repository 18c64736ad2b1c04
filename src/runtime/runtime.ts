import { randomUUID } from 'node:crypto';
import {
  type Aggregate,
  type Deadline,
  decide,
  type Facts,
  isAlive,
  type Lifetime,
  type Related,
} from '../domain/kernel/aggregate.ts';
import type { DomainEvent } from '../domain/kernel/events.ts';
import { Refusal } from '../domain/kernel/refusal.ts';
import { type Kind, type ResourceRef, resourceOf, streamOf } from '../domain/kernel/resource.ts';
import { type EventStore, isShared, type Receipt } from '../store/event-store.ts';
import { isStoreError } from '../store/store-error.ts';
import { Census } from './census.ts';
import { type Clock, timestamp } from './clock.ts';
import { type CommandRequest, CurrentState, Done, type Outcome } from './command.ts';
import { Deadlines, type SetDeadline } from './deadlines.ts';
import { earlierOutcome } from './earlier-outcome.ts';
import { type Head, viewText } from './head.ts';
import { Heads, type HeadsOptions } from './heads.ts';
import { receiptOf } from './ids.ts';
import type { RuntimeObserver } from './observer.ts';
import { advance, type Decision } from './recording.ts';
import { SignsOfLife } from './signs-of-life.ts';
import { Turns } from './turns.ts';
import { alreadyDone, keyReused, raceLost, requireRevision } from './verdicts.ts';

/** How often a command is decided anew when others keep changing the resource under it. */
const maxAttempts = 10;

export interface RuntimeOptions extends HeadsOptions {
  readonly clock: Clock;
  /** What decisions may know besides state, time and actor. */
  readonly settings?: object;
  /** Names commands that come without a key: a UUID, each time another. */
  readonly newId?: () => string;
}

/** What was decided, wrapped so that waiting for the decision is not waiting for the disk. */
interface Decided {
  readonly outcome: Promise<Outcome | null> | Outcome | null;
}

/** Makes commands durable: load, decide, append, answer. */
export class Runtime {
  readonly clock: Clock;
  readonly #store: EventStore;
  readonly #aggregates: Readonly<Record<Kind, Aggregate>>;
  readonly #settings: object;
  readonly #newId: () => string;
  readonly #observer: RuntimeObserver;
  readonly #census: Census;
  readonly #heads: Heads;
  readonly #turns = new Turns();
  readonly #deadlines: Deadlines;
  readonly #signsOfLife: SignsOfLife;
  readonly #listeningSince: string;
  /** For decisions that need no other resource. They may still depend on their own signs of life. */
  readonly #nobodyElse: Related = { stateOf: () => null, heardAt: (resource) => this.heardAt(resource) };
  readonly #keyed = new Map<string, { bodyHash: string; outcome: Promise<Outcome> }>();

  constructor(options: RuntimeOptions) {
    this.clock = options.clock;
    this.#store = options.store;
    this.#aggregates = options.aggregates;
    this.#settings = options.settings ?? {};
    this.#newId = options.newId ?? randomUUID;
    this.#observer = options.observer ?? {};
    this.#listeningSince = timestamp(options.clock.now());
    this.#signsOfLife = new SignsOfLife(options.clock, options.store);
    this.#census = new Census(options.aggregates);
    this.#heads = new Heads(options, (head) => this.#census.note(head.resource.kind, head.stream, head.state));
    this.#deadlines = new Deadlines(
      options.clock,
      (resource, due) => this.#meetDeadline(resource, due),
      (error) => this.#observer.deadlineFailed?.(error),
    );
    this.#store.watch({
      stored: (events) => this.#recount(this.#heads.overtake(events)),
      announced: (text) => this.#signsOfLife.hear(text),
    });
  }

  /**
   * Carries out one command. Settles after its events are durable; a refusal is a value.
   * @throws StoreError where the ledger cannot take the events
   */
  async execute(request: CommandRequest): Promise<Outcome> {
    const outcome = await (request.key === undefined
      ? this.#decideUntilStored(request, this.#newId())
      : this.#executeKeyed(request, request.key));
    if (outcome.outcome === 'done') this.#noteSignOfLife(request);
    this.#report(request, outcome);
    return outcome;
  }

  /** Counts a resource, and sets the alarm clock for it, that was not touched since the process started. */
  async takeUp(resource: ResourceRef): Promise<void> {
    const head = await this.#heads.of(resource);
    this.#deadlines.set(resource, this.#deadlinesOf(this.#aggregates[resource.kind], head), head.correlationId);
  }

  /** Stops the alarm clock. Commands in flight end by themselves; the store's own close waits for them. */
  close(): void {
    this.#deadlines.close();
    this.#signsOfLife.close();
  }

  /** The resource as it is now, durably; null where nothing was ever recorded. */
  async current(resource: ResourceRef): Promise<CurrentState | null> {
    return (await this.#heads.of(resource)).current;
  }

  /**
   * The same, once what is on its way to the store has been answered. An event may be heard of before whoever wrote it is
   * told: who acts on events must see at least what they tell.
   */
  async latest(resource: ResourceRef): Promise<CurrentState | null> {
    return (await this.#settledHead(resource)).current;
  }

  async #settledHead(resource: ResourceRef): Promise<Head> {
    for (;;) {
      const head = await this.#heads.of(resource);
      if (head.revision > (head.current?.revision ?? -1)) await head.durable.catch(() => {});
      if (!head.broken) return head;
    }
  }

  /**
   * When a resource that gives signs of life last did. Those before the process started are forgotten: silence is
   * counted from then on, so that a restart takes nobody for dead.
   */
  heardAt(resource: ResourceRef): string | null {
    if (!this.#aggregates[resource.kind].signsOfLife) return null;
    return this.lastHeardAt(resource) ?? this.#listeningSince;
  }

  /** When it last gave one since the process started; null where it gave none. */
  lastHeardAt(resource: ResourceRef): string | null {
    return this.#signsOfLife.of(resource);
  }

  /**
   * What a command with this key came to, so that a retry need not be made anew of what is there now; null where there was
   * none, or it was another.
   */
  async earlier(request: CommandRequest): Promise<Done | null> {
    if (request.key === undefined) return null;
    const receipt = receiptOf(request, request.key);
    await this.#keyed.get(receipt.commandId)?.outcome.catch(() => {});
    const found = await this.#earlierOutcome(request, receipt);
    return found?.outcome === 'done' ? found : null;
  }

  /** A retry finds what the first try did: the one still running, or the one whose receipt is stored. */
  async #executeKeyed(request: CommandRequest, key: string): Promise<Outcome> {
    const { commandId, bodyHash } = receiptOf(request, key);
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
    const stream = streamOf(request.resource);
    for (let attempt = 1; attempt <= maxAttempts; attempt++) {
      const decided =
        this.#decideAtOnce(stream, request, commandId, receipt) ??
        (await this.#turns.take(stream, () => this.#decide(request, commandId, receipt)));
      const outcome = await decided.outcome;
      if (outcome) return outcome;
      this.#observer.raceLost?.(request.resource.kind);
    }
    return raceLost(request, maxAttempts);
  }

  /**
   * One try, up to the decision; what becomes of it is known when it is durable. Null where its ground gave way: what it
   * was decided on was not stored.
   */
  async #decide(request: CommandRequest, commandId: string, receipt?: Receipt): Promise<Decided> {
    const head = await this.#heads.of(request.resource);
    const earlier = receipt && (await this.#earlierOutcome(request, receipt));
    if (earlier) return { outcome: earlier };
    const related = await this.#relatedTo(head, request);
    return this.#decideOn(head, related, request, commandId, receipt);
  }

  /**
   * The same where there is nothing to wait for: nobody is before the command on its stream, and all that it depends on is
   * in memory. So it is with most commands, and waiting for nothing costs more than deciding.
   */
  #decideAtOnce(stream: string, request: CommandRequest, commandId: string, receipt?: Receipt): Decided | null {
    if (receipt || this.#turns.isTaken(stream)) return null;
    const head = this.#heads.known(stream);
    if (!head || this.#neededBy(head, request).length > 0) return null;
    return this.#decideOn(head, this.#nobodyElse, request, commandId);
  }

  #decideOn(head: Head, related: Related, request: CommandRequest, commandId: string, receipt?: Receipt): Decided {
    if (head.broken) return { outcome: null };
    const aggregate = this.#aggregates[request.resource.kind];
    const { resource, actor, administrator = false } = request;
    const { durable } = head;
    const time = later(timestamp(this.clock.now()), head.time);
    let events: DomainEvent[];
    try {
      requireRevision(request, head.revision);
      const underWay = this.#census.counts(resource.kind);
      const settings = this.#settings;
      const facts: Facts & { settings: object } = { time, actor, resource, settings, related, underWay, administrator };
      events = decide(aggregate, head.state, request, facts);
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      return { outcome: this.#refused(request, head, time, error) };
    }
    if (events.length === 0 && !receipt)
      return { outcome: this.#confirmed(head, durable, () => alreadyDone(request, head)) };
    return { outcome: this.#append(request, head, { commandId, time, events, receipt }) };
  }

  /**
   * A refusal is answered when what it rests on is durable, and what is recorded of it. That leaves no receipt: a retry is
   * refused anew, and finds that nothing about it is news.
   */
  #refused(request: CommandRequest, head: Head, time: string, refusal: Refusal): Promise<Outcome | null> {
    const { resource } = request;
    const answer = (revision: number): Outcome => ({ outcome: 'refused', resource, refusal, revision });
    const { revision, durable } = head;
    const { recorded: events } = refusal;
    if (events.length === 0) return this.#confirmed(head, durable, () => answer(revision));
    const decision = { commandId: this.#newId(), time, events, receipt: undefined };
    return this.#append(request, head, decision).then((appended) => appended && answer(appended.revision));
  }

  /**
   * What holds once everything it rests on is durable; null where some of that was lost. An append is checked by the store;
   * a verdict without one stands only if no other process has changed the resource before it is given.
   */
  async #confirmed(head: Head, durable: Promise<unknown>, outcome: () => Outcome): Promise<Outcome | null> {
    try {
      await durable;
    } catch {
      return null;
    }
    if (!(await this.#isCurrent(head))) return null;
    return outcome();
  }

  /** Takes in what other processes have stored; whether the head is still the stream's end. */
  async #isCurrent(head: Head): Promise<boolean> {
    if (isShared(this.#store.info)) await this.#store.head();
    return !head.broken;
  }

  /** The other resources that the decision must see. */
  #neededBy(head: Head, request: CommandRequest): readonly ResourceRef[] {
    return this.#aggregates[request.resource.kind].needs?.(head.state, request, this.#settings) ?? [];
  }

  /** What the decision may know of other resources, as they durably are. */
  async #relatedTo(head: Head, request: CommandRequest): Promise<Related> {
    const needed = this.#neededBy(head, request);
    if (needed.length === 0) return this.#nobodyElse;
    await this.#isCurrent(head);
    const heads = new Map<string, Head>();
    for (const other of needed) heads.set(streamOf(other), await this.#settledHead(other));
    return {
      stateOf: (other) => heads.get(streamOf(other))?.current?.state ?? null,
      heardAt: (other) => this.heardAt(other),
    };
  }

  /**
   * Stores what was decided. Up to the call of the store this is synchronous, so the next command on this stream is
   * decided on top of these events while they are still on their way to the disk. A keyed command that changes nothing
   * still leaves its receipt, so that its retry changes nothing either.
   */
  async #append(request: CommandRequest, head: Head, decision: Decision): Promise<Outcome | null> {
    const aggregate = this.#aggregates[request.resource.kind];
    const expectedRevision = head.revision;
    const expectedEventId = head.eventId ?? undefined;
    try {
      const { newEvents, eventsText } = advance(aggregate, head, request, decision);
      const { state } = head;
      this.#census.note(request.resource.kind, head.stream, state);
      if (!state) throw new Error(`${request.type} on an unknown ${aggregate.kind} must begin its life or be refused`);
      const stateText = viewText(aggregate, state);
      const { revision, deletedAt } = state;
      const snapshot = this.#heads.snapshotIfDue(head);
      const deadlines = aggregate.deadlines && this.#deadlinesOf(aggregate, head);

      const { stream } = head;
      const { receipt } = decision;
      const appended = this.#store.append({ stream, expectedRevision, expectedEventId, events: newEvents, receipt });
      head.durable = appended;
      const { position } = await appended;

      if (revision > (head.current?.revision ?? -1)) {
        head.current = new CurrentState(revision, position, stateText, deletedAt);
      }
      if (snapshot) this.#heads.keep(snapshot);
      // Answers may overtake each other; what a resource waits for is what its newest state waits for.
      if (deadlines && !this.#heads.isInUse(head)) this.#deadlines.reviseSoon(request.resource);
      else if (deadlines && revision === head.current?.revision)
        this.#deadlines.set(request.resource, deadlines, request.correlationId ?? decision.commandId);
      return new Done(request.resource, revision, position, eventsText, stateText);
    } catch (error) {
      this.#heads.discard(head);
      this.#census.note(request.resource.kind, head.stream, (head.current?.state as Lifetime | undefined) ?? null);
      // What is stored may wait for the clock: this append all the same, or what was stored in its place. The clock may have
      // asked in between, and been told of what was not stored.
      if (aggregate.deadlines) this.#deadlines.reviseSoon(request.resource);
      if (isStoreError(error, 'wrong-expected-revision')) return null;
      throw error;
    }
  }

  #earlierOutcome(request: CommandRequest, receipt: Receipt): Promise<Outcome | null> {
    return earlierOutcome(this.#store, this.#aggregates[request.resource.kind], request, receipt);
  }

  /** What the clock must do to the resource, by its state and its last sign of life. */
  #deadlinesOf(aggregate: Aggregate, { state, resource }: Head): readonly Deadline[] {
    if (!state || !isAlive(state)) return [];
    return aggregate.deadlines?.(state, this.heardAt(resource)) ?? [];
  }

  /** Gives the command that is due, unless a sign of life or another event has moved the deadline since. */
  async #meetDeadline(resource: ResourceRef, due: SetDeadline): Promise<readonly Deadline[]> {
    const aggregate = this.#aggregates[resource.kind];
    const now = timestamp(this.clock.now());
    const current = this.#deadlinesOf(aggregate, await this.#heads.of(resource));
    const still = current.find(({ name, at }) => name === due.name && at <= now);
    if (!still) return current;
    const { name, command } = still;
    const { correlationId } = due;
    await this.execute({ resource, ...command, actor: { type: 'system', id: name }, correlationId });
    return this.#deadlinesOf(aggregate, await this.#heads.of(resource));
  }

  /** Resources that another process has changed count as what they are now. */
  #recount(streams: Iterable<string>): void {
    for (const stream of streams) {
      const resource = resourceOf(stream);
      if (resource && this.#aggregates[resource.kind].countsAs)
        this.takeUp(resource).catch((error) => this.#observer.deadlineFailed?.(error));
    }
  }

  #noteSignOfLife({ resource, type }: CommandRequest): void {
    if (!this.#aggregates[resource.kind].signsOfLife?.includes(type)) return;
    this.#signsOfLife.note(resource);
  }

  #report({ resource, type }: CommandRequest, outcome: Outcome): void {
    this.#observer.commandSettled?.(
      outcome.outcome === 'refused'
        ? { kind: resource.kind, type, outcome: 'refused', slug: outcome.refusal.slug }
        : { kind: resource.kind, type, outcome: outcome.eventsText === '[]' ? 'nothing' : 'done' },
    );
  }
}

const later = (a: string, b: string): string => (a > b ? a : b);
