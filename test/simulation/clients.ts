import { aggregates } from '../../src/domain/aggregates.ts';
import type { Actor } from '../../src/domain/kernel/actor.ts';
import { type Kind, streamOf } from '../../src/domain/kernel/resource.ts';
import type { CommandRequest, Outcome } from '../../src/runtime/command.ts';
import { StoreError } from '../../src/store/store-error.ts';
import type { Random } from '../support/random.ts';
import type { Faults } from './faults.ts';
import type { LedgerProcess } from './ledger-process.ts';
import type { Acknowledgements } from './rules/acknowledged.ts';

/** A command that somebody wants carried out once, however often it must be sent for that. */
export interface Errand {
  readonly request: CommandRequest;
  /** The highest revision that was acknowledged on the stream before the first sending. */
  readonly floor: number;
  /** Where it is under way. */
  readonly sentTo: Set<LedgerProcess>;
  answer: Outcome | null;
}

export interface ClientsOptions {
  readonly random: Random;
  readonly faults: Faults;
  readonly acknowledgements: Acknowledgements;
  readonly processes: () => readonly LedgerProcess[];
  readonly onBug: (error: unknown) => void;
}

/** Everybody who sends commands: each with a key, again where no answer came, and sometimes again for no reason. */
export class Clients {
  readonly #options: ClientsOptions;
  readonly #open = new Set<Errand>();
  readonly #answered: Errand[] = [];
  #sent = 0;

  constructor(options: ClientsOptions) {
    this.#options = options;
  }

  get isBusy(): boolean {
    return this.#open.size > 0;
  }

  /** How many commands were given, each counted once. */
  get count(): number {
    return this.#sent;
  }

  give(actor: Actor, kind: Kind, id: string, type: string, data: object = {}): void {
    const key = `errand-${++this.#sent}`;
    const resource = { kind, id };
    const parsed = aggregates[kind].commands[type]!.parse(data) as object;
    const floor = this.#options.acknowledgements.highest(streamOf(resource));
    const request = { resource, type, data: parsed, actor, key, requestId: key };
    this.#send({ request, floor, sentTo: new Set(), answer: null });
  }

  /** A sign of life is nothing worth repeating: there will be another. */
  beat(actor: Actor, kind: Kind, id: string, data: object = {}): void {
    this.#options.random
      .oneOf(this.#options.processes())
      .runtime.execute({ resource: { kind, id }, type: 'Heartbeat', data, actor })
      .catch((error) => {
        if (!(error instanceof StoreError)) this.#options.onBug(error);
      });
  }

  /** Those who wait too long, or whose process has died, send again; and somebody sends what was answered long ago. */
  retry(): void {
    const { random, faults } = this.#options;
    const again = (errand: Errand): void => {
      faults.note('a command sent again');
      this.#send(errand);
    };
    for (const errand of [...this.#open]) {
      for (const process of errand.sentTo) if (process.isDead) errand.sentTo.delete(process);
      if (errand.sentTo.size === 0 || random.next() < 0.05) again(errand);
    }
    if (this.#answered.length > 0 && random.next() < 0.1) again(random.oneOf(this.#answered));
  }

  #send(errand: Errand): void {
    const { random, processes, acknowledgements, onBug } = this.#options;
    const process = random.oneOf(processes());
    if (errand.sentTo.has(process)) return;
    errand.sentTo.add(process);
    const known = errand.answer;
    if (!known) this.#open.add(errand);
    process.runtime.execute(errand.request).then(
      (outcome) => {
        if (process.isDead) return;
        errand.sentTo.delete(process);
        this.#open.delete(errand);
        acknowledgements.take(errand, outcome, known);
        if (!errand.answer) this.#answered.push(errand);
        if (errand.answer?.outcome !== 'done') errand.answer = outcome;
      },
      (error) => {
        if (process.isDead) return;
        errand.sentTo.delete(process);
        if (!(error instanceof StoreError)) onBug(error);
      },
    );
  }
}
