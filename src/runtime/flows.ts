import { setMaxListeners } from 'node:events';
import type { Flow, FlowCommand, FlowEvent } from '../domain/flows/flow.ts';
import type { Search, SearchingFlow } from '../domain/flows/searching-flow.ts';
import type { Aggregate, Related } from '../domain/kernel/aggregate.ts';
import { NewerEvent, upcast } from '../domain/kernel/events.ts';
import type { JsonObject } from '../domain/kernel/json.ts';
import type { Refusal } from '../domain/kernel/refusal.ts';
import { type Kind, type ResourceRef, resourceOf, streamOf } from '../domain/kernel/resource.ts';
import { pause as realPause } from '../pause.ts';
import { type EventStore, type RecordedEvent, startPosition } from '../store/event-store.ts';
import type { CurrentState } from './command.ts';
import type { Runtime } from './runtime.ts';

export type AnyFlow = Flow | SearchingFlow;

export interface FlowsOptions {
  readonly store: EventStore;
  readonly runtime: Runtime;
  readonly aggregates: Readonly<Record<Kind, Aggregate>>;
  readonly flows: readonly AnyFlow[];
  /** Finds whom an event concerns, in what is known up to its position. */
  readonly find?: (search: Search, position: string) => Promise<readonly string[]>;
  readonly observer?: FlowsObserver;
  /** Lets real time pass, or only pretends to where all time is simulated. */
  readonly pause?: typeof realPause;
}

export interface FlowsObserver {
  /** The command was refused for good: the other resource is gone, or its rules do not allow it. */
  commandRefused?(flow: string, event: FlowEvent, command: FlowCommand, refusal: Refusal): void;
  /** An event whose reaction threw, or whose command could not be stored yet; it is tried again. */
  reactionFailed?(event: { readonly type: string }, error: unknown): void;
  /** The ledger cannot be followed; it is tried again from the checkpoint. */
  followFailed?(error: unknown): void;
  checkpointFailed?(error: unknown): void;
}

/** Events whose reactions may be under way at the same time. */
const window = 256;
/** Events after which the checkpoint is kept, at the latest. */
const checkpointEvery = 100;
/**
 * How long after an event, at the latest. A reaction looks at the present: one that is repeated after a crash should find it
 * much as it was, also on a ledger where little happens.
 */
const checkpointAfterMs = 1000;
/** Events taken up and not passed by the checkpoint yet, those among them that pause for a minute. */
const mostUnderWay = 10_000;
const retryMs = 1000;
/** It waits for the program to be upgraded, here or in another process; the checkpoint does not pass it before. */
const newerRetryMs = 60_000;
/** How long events gather at the head of the ledger before they are looked at. */
const gatherMs = 5;
/** How often a command that is refused for a while is given: with doubling pauses, for about a minute. */
const patience = 7;
/** Under this name the store keeps up to where the process managers have acted. */
export const checkpointName = 'flows';

/**
 * Runs the process managers over the log, from the checkpoint on: every event at least once, commands on one resource in
 * the order of the events that asked for them.
 */
export class FlowRunner {
  readonly #options: FlowsOptions;
  readonly #types: readonly string[];
  readonly #stop = new AbortController();
  /** Aborts where this process is no longer the one to do the work; null while it is not. */
  #working: AbortSignal | null = null;
  readonly #lanes = new Map<string, Promise<void>>();
  /** Events under way, oldest first; the checkpoint may pass those that are done at the front. */
  readonly #underWay: { position: string; done: boolean }[] = [];
  #settled = 0;
  /** Takes back the alarm that keeps the checkpoint; null where none is set. */
  #cancelKeeping: (() => void) | null = null;
  /** Events whose reactions are not over yet. */
  #active = 0;
  /** Lanes that wait for a while before they try again. */
  #pausing = 0;
  #position: string | null = null;
  #running: Promise<void> = Promise.resolve();
  #idle: (() => void)[] = [];
  /** Every event up to here has been taken up. */
  #seen = startPosition;

  constructor(options: FlowsOptions) {
    this.#options = options;
    this.#types = [...new Set(options.flows.flatMap((flow) => flow.types))];
  }

  start(): void {
    this.#running = this.#run();
  }

  /** Whether this process is the one to do the work. */
  get isWorking(): boolean {
    return !this.#isOver;
  }

  /** Up to here every event was reacted to; null where this process is not the one to do it. */
  get position(): string | null {
    return this.isWorking ? (this.#position ?? startPosition) : null;
  }

  get #isOver(): boolean {
    return this.#working?.aborted ?? true;
  }

  /** Settles when every event so far has been reacted to, or waits for the clock. For tests and simulated time. */
  async idle(): Promise<void> {
    for (;;) {
      const head = await this.#options.store.head();
      // Nothing is awaited between this look and the wait, or the word that ends it might come in between.
      if (this.#lanes.size <= this.#pausing && this.#seen >= head) return;
      await this.#oneSettled();
    }
  }

  async stop(): Promise<void> {
    this.#stop.abort();
    await this.#running;
  }

  /** Of all processes that have the ledger open, one at a time does this; where it falls out, the next goes on. */
  async #run(): Promise<void> {
    while (!this.#stop.signal.aborted) {
      const lease = await this.#options.store.lease(checkpointName, this.#stop.signal);
      if (!lease) return;
      this.#working = AbortSignal.any([this.#stop.signal, lease.lost]);
      setMaxListeners(0, this.#working); // whatever is under way listens to it
      await this.#follow(this.#working).catch((error) => this.#failed(error));
      if (!lease.lost.aborted) await this.#keepCheckpoint();
      this.#working = null;
      await lease.release();
    }
  }

  /** Real time passes, which has nothing to do with that of the ledger. */
  async #failed(error: unknown): Promise<void> {
    this.#options.observer?.followFailed?.(error);
    await this.#letRealTimePass(retryMs, this.#stop.signal);
  }

  async #follow(signal: AbortSignal): Promise<void> {
    const { store } = this.#options;
    const after = await store.loadCheckpoint(checkpointName);
    this.#position = after;
    this.#underWay.length = 0;
    const subscription = store.subscribe({ ...(after !== null && { after }), filter: { types: this.#types }, signal });
    for await (const message of subscription) {
      if (message.kind === 'caught-up') {
        this.#seen = message.position;
        if (this.#underWay.length === 0) this.#position = message.position;
        this.#wakeIdle();
        await this.#gather();
        continue;
      }
      this.#begin(message.event);
      while (this.#isFull) await this.#oneSettled();
    }
    await Promise.all(this.#lanes.values());
  }

  get #isFull(): boolean {
    return this.#active - this.#pausing >= window || this.#underWay.length >= mostUnderWay;
  }

  #begin(recorded: RecordedEvent): void {
    const entry = { position: recorded.position, done: false };
    this.#underWay.push(entry);
    this.#active += 1;
    const resource = resourceOf(recorded.stream);
    const reaction = resource
      ? this.#inLane(streamOf(resource), () => this.#reactUntilStored(resource, recorded))
      : Promise.resolve();
    void reaction.then(() => this.#settle(entry));
  }

  /** One after the other for each source, so that its events are reacted to in order. */
  #inLane(name: string, work: () => Promise<void>): Promise<void> {
    const previous = this.#lanes.get(name) ?? Promise.resolve();
    const lane = previous.then(work);
    this.#lanes.set(name, lane);
    return lane.finally(() => {
      if (this.#lanes.get(name) === lane) this.#lanes.delete(name);
    });
  }

  async #reactUntilStored(resource: ResourceRef, recorded: RecordedEvent): Promise<void> {
    const { aggregates, observer } = this.#options;
    const { id, revision, type, v, time } = recorded;
    while (!this.#isOver) {
      try {
        const data = upcast(aggregates[resource.kind].events, type, v, recorded.data as JsonObject);
        if (data) await this.#react({ id, resource, revision, type, time, data }, recorded);
        return;
      } catch (error) {
        observer?.reactionFailed?.(recorded, error);
        await this.#pause(error instanceof NewerEvent ? newerRetryMs : retryMs);
      }
    }
  }

  async #react(event: FlowEvent, recorded: RecordedEvent): Promise<void> {
    for (const flow of this.#options.flows) {
      if (!flow.types.includes(event.type)) continue;
      const related = await this.#relatedTo(flow, event);
      const found = await this.#found(flow, event, related, recorded.position);
      for (const [index, command] of flow.react(event, related, found).entries()) {
        await this.#give(flow, event, recorded, command, `${flow.name}/${event.id}/${index}`);
      }
    }
  }

  async #found(flow: AnyFlow, event: FlowEvent, related: Related, position: string): Promise<readonly ResourceRef[]> {
    const found: ResourceRef[] = [];
    for (const search of 'search' in flow ? flow.search(event, related) : []) {
      const { kind } = search;
      if (!this.#options.find) throw new Error(`${flow.name} looks for ${kind}s, and nobody can find them`);
      for (const id of await this.#options.find(search, position)) found.push({ kind, id });
    }
    return found;
  }

  /** Gives one command; what is refused for a while is tried again, and what is refused for good is told. */
  async #give(
    flow: AnyFlow,
    event: FlowEvent,
    recorded: RecordedEvent,
    command: FlowCommand,
    key: string,
  ): Promise<void> {
    const { runtime, observer } = this.#options;
    for (let attempt = 1; ; attempt++) {
      const outcome = await runtime.execute({
        ...command,
        actor: { type: 'system', id: flow.actor?.(event) ?? flow.name },
        key,
        correlationId: String(recorded.metadata.$correlationId),
        causationId: event.id,
      });
      if (outcome.outcome === 'done' || this.#isOver) return;
      const { refusal } = outcome;
      if (refusal.help.retryable && attempt < patience) {
        await this.#pause(retryMs * 2 ** (attempt - 1));
        continue;
      }
      observer?.commandRefused?.(flow.name, event, command, refusal);
      const consequences = flow.refused?.(event, command, { slug: refusal.slug, detail: refusal.message }) ?? [];
      for (const [index, consequence] of consequences.entries()) {
        await this.#give({ ...flow, refused: () => [] }, event, recorded, consequence, `${key}/refused/${index}`);
      }
      return;
    }
  }

  async #relatedTo(flow: AnyFlow, event: FlowEvent) {
    const { runtime } = this.#options;
    const known = new Map<string, CurrentState | null>();
    const related = {
      stateOf: (resource: ResourceRef) => known.get(streamOf(resource))?.state ?? null,
      heardAt: (resource: ResourceRef) => runtime.heardAt(resource),
    };
    for (;;) {
      const missing = (flow.needs?.(event, related) ?? []).filter((resource) => !known.has(streamOf(resource)));
      if (missing.length === 0) return related;
      for (const resource of missing) known.set(streamOf(resource), await runtime.latest(resource));
    }
  }

  /** What ends because this process stops may not be done: whoever goes on takes it up again. */
  #settle(entry: { done: boolean }): void {
    entry.done = !this.#isOver;
    this.#active -= 1;
    while (this.#underWay[0]?.done) {
      this.#position = this.#underWay.shift()!.position;
      this.#settled += 1;
    }
    if (this.#settled >= checkpointEvery) void this.#keepCheckpoint();
    else if (this.#settled > 0) this.#keepCheckpointSoon();
    this.#wakeIdle();
  }

  #keepCheckpointSoon(): void {
    const { clock } = this.#options.runtime;
    this.#cancelKeeping ??= clock.schedule(clock.now() + checkpointAfterMs, () => this.#keepCheckpoint());
  }

  /** A checkpoint that is lost or old costs time: the same events again, whose commands are known by their keys. */
  async #keepCheckpoint(): Promise<void> {
    this.#cancelKeeping?.();
    this.#cancelKeeping = null;
    if (this.#position === null) return;
    this.#settled = 0;
    const { store, observer } = this.#options;
    const checkpoint = { name: checkpointName, position: this.#position };
    await store.saveCheckpoint(checkpoint).catch((error) => observer?.checkpointFailed?.(error));
  }

  /** In real time: a busy ledger commits many times in a moment, and looking at each commit alone would cost as much. */
  async #gather(): Promise<void> {
    await this.#letRealTimePass(gatherMs, this.#working!);
  }

  async #letRealTimePass(milliseconds: number, signal: AbortSignal): Promise<void> {
    const { pause = realPause } = this.#options;
    await pause(milliseconds, signal).catch(() => {});
  }

  #oneSettled(): Promise<void> {
    return new Promise((resolve) => this.#idle.push(resolve));
  }

  #wakeIdle(): void {
    for (const wake of this.#idle.splice(0)) wake();
  }

  /** On the ledger's clock, so that simulated time passes it over; whoever pauses does not keep `idle` waiting. */
  #pause(milliseconds: number): Promise<void> {
    const { clock } = this.#options.runtime;
    const working = this.#working;
    if (!working || working.aborted) return Promise.resolve(); // what it would wake from has happened
    return new Promise((resolve) => {
      this.#pausing += 1;
      const goOn = (): void => {
        this.#pausing -= 1;
        resolve();
      };
      const cancel = clock.schedule(clock.now() + milliseconds, () => {
        working.removeEventListener('abort', abandon);
        goOn();
      });
      const abandon = (): void => {
        cancel();
        goOn();
      };
      working.addEventListener('abort', abandon, { once: true });
      this.#wakeIdle();
    });
  }
}
