import type { Aggregate } from '../../domain/kernel/aggregate.ts';
import { type Kind, type ResourceRef, streamOf } from '../../domain/kernel/resource.ts';
import { UnfoldableEvent } from '../../projections/folding.ts';
import { stateAt } from '../../projections/state-at.ts';
import type { CommandRequest, CurrentState, Done, Outcome } from '../../runtime/command.ts';
import { UnreadableResource } from '../../runtime/head.ts';
import type { Runtime } from '../../runtime/runtime.ts';
import type { EventStore } from '../../store/event-store.ts';
import { StoreError } from '../../store/store-error.ts';
import type { Caller } from '../access/auth.ts';
import { ProjectScope } from '../access/project-scope.ts';
import { apiProblem, Problem, passingProblem } from '../problems/problem.ts';
import { currentNow, doneNow } from './live-state.ts';

/** The way from the API into the runtime: as many commands at a time as the process can stand, and no fault unexplained. */
export class CommandGate {
  /** What of the ledger there is for a caller. */
  readonly scope = new ProjectScope((resource) => this.current(resource));
  readonly #runtime: Runtime;
  readonly #store: EventStore;
  readonly #aggregates: Readonly<Record<Kind, Aggregate>>;
  readonly #limit: number;
  readonly #waiting: (() => void)[] = [];
  #inFlight = 0;
  #turn: Promise<void> | null = null;

  constructor(options: {
    runtime: Runtime;
    store: EventStore;
    aggregates: Readonly<Record<Kind, Aggregate>>;
    maxInFlight: number;
  }) {
    this.#runtime = options.runtime;
    this.#store = options.store;
    this.#aggregates = options.aggregates;
    this.#limit = options.maxInFlight;
  }

  get inFlight(): number {
    return this.#inFlight;
  }

  /** Whether as many lines wait as are worked on: whoever can should bring no more. */
  get isCrowded(): boolean {
    return this.#waiting.length >= this.#limit;
  }

  /** Turns a request away before its body is read, so that what cannot be done costs little. @throws Problem */
  requireRoom(): void {
    if (this.#inFlight < this.#limit) return;
    throw passingProblem('too-many-commands', `${this.#limit} commands are being worked on; no more are taken.`);
  }

  /** Carries out a command, or turns it away where too many are being worked on. @throws Problem */
  async execute(command: CommandRequest, caller: Caller): Promise<Outcome> {
    this.requireRoom();
    this.#inFlight++;
    await this.#nextTurn();
    return this.#run(command, caller);
  }

  /**
   * Carries out a command as soon as there is room for it; those who wait go first, in the order in which they came. What
   * a confined caller may do depends on what was done before: such a one is to wait for one verdict before the next.
   */
  executeInTurn(command: CommandRequest, caller: Caller): Promise<Outcome> {
    if (this.#inFlight < this.#limit) {
      this.#inFlight++;
      return this.#run(command, caller);
    }
    return new Promise((resolve) => {
      this.#waiting.push(() => resolve(this.#run(command, caller)));
    });
  }

  /** What a keyed command came to when it was first given; null where it was not, or it is not for the caller to know. */
  async earlier(command: CommandRequest, caller: Caller): Promise<Done | null> {
    if (!(await this.scope.sees(caller, command.resource))) return null;
    try {
      return await this.#runtime.earlier(command);
    } catch (error) {
      throw await this.#explained(command.resource, error);
    }
  }

  /** The resource as it is; null where nothing was ever recorded. @throws Problem */
  async current(resource: ResourceRef): Promise<CurrentState | null> {
    try {
      return currentNow(resource, await this.#runtime.current(resource), this.#runtime);
    } catch (error) {
      throw await this.#explained(resource, error);
    }
  }

  /**
   * What arrives together is decided together: first all requests that are there are read, then all their commands
   * decided. Each part of the program then runs many times in a row, and finds its code where the processor is fastest.
   */
  #nextTurn(): Promise<void> {
    this.#turn ??= new Promise((resolve) => {
      setImmediate(() => {
        this.#turn = null;
        resolve();
      });
    });
    return this.#turn;
  }

  /** The room a command takes goes to the one that has waited longest. */
  async #run(command: CommandRequest, caller: Caller): Promise<Outcome> {
    try {
      const admitted = caller.confinedTo === undefined ? command : await this.scope.admit(command, caller);
      const outcome = await this.#runtime.execute(admitted);
      return outcome.outcome === 'done' ? doneNow(outcome, this.#runtime) : outcome;
    } catch (error) {
      throw await this.#explained(command.resource, error);
    } finally {
      const next = this.#waiting.shift();
      if (next) next();
      else this.#inFlight--;
    }
  }

  /** Tells a fault of the program from a recorded event it cannot fold, which is the trouble of the resource it is about. */
  async #explained(resource: ResourceRef, error: unknown): Promise<unknown> {
    if (error instanceof StoreError || error instanceof Problem) return error;
    const suspect = error instanceof UnreadableResource ? error.resource : resource;
    const unfoldable = await this.#unfoldableEventOf(suspect);
    if (!unfoldable) return error;
    return streamOf(suspect) === streamOf(resource)
      ? unreadable(resource, unfoldable)
      : relatedUnreadable(suspect, unfoldable);
  }

  async #unfoldableEventOf(resource: ResourceRef): Promise<UnfoldableEvent | null> {
    try {
      const moment = { by: 'revision', revision: Number.MAX_SAFE_INTEGER } as const;
      await stateAt(this.#store, this.#aggregates[resource.kind], resource, moment);
      return null;
    } catch (found) {
      return found instanceof UnfoldableEvent ? found : null;
    }
  }
}

export const unreadable = (resource: ResourceRef, unfoldable: UnfoldableEvent): Problem =>
  apiProblem(
    unfoldable.newer ? 'resource-of-newer-version' : 'resource-unreadable',
    unfoldable.message,
    whereabouts(resource, unfoldable),
  );

/** The caller's resource is sound, and so is the command. It goes away when that of the other resource does. */
function relatedUnreadable(damaged: ResourceRef, unfoldable: UnfoldableEvent): Problem {
  const detail = `This depends on the ${damaged.kind} ${damaged.id}, whose history cannot be read: ${unfoldable.message}`;
  return passingProblem('related-resource-unreadable', detail, { damaged, ...whereabouts(damaged, unfoldable) }, 60);
}

const whereabouts = ({ kind, id }: ResourceRef, { event, newer }: UnfoldableEvent) => ({
  revision: event.revision,
  position: event.position,
  eventType: event.type,
  ...(newer && { eventVersion: newer.version, knownVersion: newer.knownVersion }),
  history: `/v1/${kind}s/${encodeURIComponent(id)}/history`,
});
