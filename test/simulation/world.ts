import { aggregates } from '../../src/domain/aggregates.ts';
import { flows } from '../../src/domain/flows/flows.ts';
import type { Search } from '../../src/domain/flows/searching-flow.ts';
import { isAlive } from '../../src/domain/kernel/aggregate.ts';
import type { ResourceRef } from '../../src/domain/kernel/resource.ts';
import type { Node } from '../../src/domain/node/state.ts';
import { countedStates } from '../../src/domain/node/under-way.ts';
import type { AnyFlow } from '../../src/runtime/flows.ts';
import { UnreadableResource } from '../../src/runtime/head.ts';
import type { LedgerInfo } from '../../src/store/event-store.ts';
import { MemoryStore } from '../../src/store/memory/memory-store.ts';
import { nthId } from '../support/ledger.ts';
import { Random } from '../support/random.ts';
import type { Scene } from './actors/actor.ts';
import { Agents } from './actors/agents.ts';
import { finishWork } from './actors/conductors.ts';
import { nextAct } from './actors/index.ts';
import { spoiled, Vandal } from './actors/vandal.ts';
import { Clients } from './clients.ts';
import { Exertion } from './exertion.ts';
import { Faults } from './faults.ts';
import { LeaseDesk } from './lease-desk.ts';
import { LedgerProcess } from './ledger-process.ts';
import { Acknowledgements } from './rules/acknowledged.ts';
import { checkSeenAlike } from './rules/seen-alike.ts';
import { isMeant } from './search.ts';
import { Subscriber } from './subscriber.ts';
import { Violation } from './violation.ts';
import { WallClock } from './wall-clock.ts';
import { Weather } from './weather.ts';
import { Witness } from './witness.ts';

/** Waits are short here, so that a world sees the end of them. */
const settings = {
  usePendingState: true,
  pendingTimeoutMs: 300_000,
  pendingClaimMs: 60_000,
  vifPluggingTimeoutMs: 120_000,
  buildTimeoutMs: 600_000,
  deployCallBackTimeoutMs: 120_000,
  cleanCallBackTimeoutMs: 120_000,
  rescueCallBackTimeoutMs: 120_000,
  serviceCallBackTimeoutMs: 120_000,
  inspectTimeoutMs: 120_000,
};

/** A site with everybody on it, and the ledger that records it, in one process and from one seed. */
export class World {
  readonly witness: Witness;
  readonly clock = new WallClock();
  readonly clients: Clients;
  readonly faults = new Faults();
  readonly #random: Random;
  readonly #ledger: MemoryStore;
  readonly #weather: Weather;
  readonly #agents: Agents;
  readonly #scene: Scene;
  readonly #desk = new LeaseDesk();
  readonly #exertion = new Exertion();
  readonly #subscriber = new Subscriber();
  readonly #vandal: Vandal;
  readonly #processes: LedgerProcess[];
  /** Several processes behave towards each other as on the engine that allows them. */
  readonly #engine: LedgerInfo['engine'];
  readonly #caches: { snapshotEvery: number; cachedResources: number };
  readonly #flows: readonly AnyFlow[];
  #ids = 0;
  #violation: unknown = null;

  constructor(seed: number, processManagers: readonly AnyFlow[] = flows) {
    this.#flows = processManagers;
    const random = new Random(seed);
    this.#random = random;
    const createdAt = new Date(this.clock.now()).toISOString();
    this.#ledger = new MemoryStore({ copyOf: { ledgerId: nthId(seed), clock: 'manual', createdAt } });
    this.witness = new Witness(this.#ledger);
    this.#weather = new Weather(random, this.faults);
    this.#caches = { snapshotEvery: random.oneOf([1, 3, 200]), cachedResources: random.oneOf([2, 100]) };
    const acknowledgements = new Acknowledgements(this.witness, (violation) => this.#fail(violation));
    this.clients = new Clients({
      random,
      faults: this.faults,
      acknowledgements,
      processes: () => this.#processes,
      onBug: (error) => this.#bug(error),
    });
    this.#agents = new Agents(this.clients, random, this.faults);
    this.#vandal = new Vandal(this.#ledger, this.faults);
    this.#scene = {
      random,
      witness: this.witness,
      isRunning: this.#agents.isRunning,
      give: (...command) => this.clients.give(...command),
    };
    const processes = random.oneOf([1, 1, 2]);
    this.#engine = processes > 1 ? 'eventstoredb' : 'memory';
    this.#processes = Array.from({ length: processes }, () => this.#newProcess());
    this.#subscriber.follow(this.#ledger);
    this.#agents.startAll();
  }

  /** One thing happens, and what follows from it at once. @throws Violation */
  async step(): Promise<void> {
    this.#exertion.renew();
    const chance = this.#random.next();
    if (chance < 0.5) nextAct(this.#random)(this.#scene);
    else if (chance < 0.78) this.#deliver();
    else if (chance < 0.93) await this.#pass(this.#random.oneOf([100, 1000, 5000, 30_000, 60_000]));
    else await this.#oneOfMishaps();
    await this.#drain();
    this.check();
  }

  /** Nothing goes wrong any more, nobody begins anything, and everything that was begun comes to its end. */
  async settle(): Promise<void> {
    this.#weather.calmDown();
    this.clock.catchUp();
    await this.#deliverAll();
    for (let minute = 0; minute < 16; minute++) {
      this.#exertion.renew();
      await this.#pass(50_000);
      finishWork(this.#scene);
      await this.#deliverAll();
      this.check();
    }
    for (const process of this.#processes) if (process.isWorking) await process.idle();
    await this.#deliverAll();
    this.check();
    this.#subscriber.checkComplete(this.witness.log);
    for (const { runtime } of this.#processes) await checkSeenAlike(this.witness, runtime);
  }

  /** All processes end, and one begins on what is left. Nothing is kept but the ledger. */
  async restart(): Promise<LedgerProcess> {
    this.#exertion.renew();
    for (const process of this.#processes.splice(0)) process.crash();
    await this.#lastWrites();
    const process = this.#newProcess();
    this.#processes.push(process);
    await this.#drain();
    this.check();
    return process;
  }

  /** Nothing of the world goes on, and nothing keeps it. */
  async end(): Promise<void> {
    for (const process of this.#processes) process.crash();
    await this.#ledger.close();
  }

  get isRunning(): (agentId: string) => boolean {
    return this.#agents.isRunning;
  }

  check(): void {
    this.witness.look();
    this.#subscriber.check(this.witness.log);
    if (this.#violation !== null) throw this.#violation;
  }

  #deliver(): void {
    for (const process of this.#processes) process.store.deliver();
    this.clients.retry();
  }

  async #deliverAll(): Promise<void> {
    for (let round = 0; round < 100; round++) {
      for (const process of this.#processes) process.store.deliverAll();
      if (round % 2 === 1) this.clients.retry();
      await this.#drain();
      if (!this.clients.isBusy && !this.#processes.some(({ store }) => store.isBusy)) return;
    }
    throw new Violation('acknowledged-once', 'somebody waits for an answer that never comes');
  }

  async #pass(milliseconds: number): Promise<void> {
    await this.clock.pass(milliseconds, () => this.#drain());
    this.#agents.beat();
    if (this.#processes.length === 1) return;
    for (const process of this.#processes) if (process.isWorking) void process.takeUp();
  }

  async #oneOfMishaps(): Promise<void> {
    const agent = () => this.#agents.act();
    const others = [
      () => this.#crashOne(),
      () => this.#setClock(),
      () => this.#cutSubscriber(),
      () => this.#vandal.act(this.#scene),
    ];
    await this.#random.oneOf<() => unknown>([agent, agent, agent, ...others])();
  }

  async #crashOne(): Promise<void> {
    this.faults.note('a process died');
    const at = this.#random.below(this.#processes.length);
    this.#processes[at]!.crash();
    await this.#lastWrites();
    this.#processes[at] = this.#newProcess();
  }

  /** Where only one process can have the ledger open, the next one opens it when nothing is under way any more. */
  async #lastWrites(): Promise<void> {
    if (this.#engine === 'memory') await this.#drain();
  }

  #setClock(): void {
    this.faults.note('the clock was set');
    this.clock.set(this.#random.oneOf([-3_600_000, -60_000, -1000, 1000, 60_000, 3_600_000]));
  }

  #cutSubscriber(): void {
    this.faults.note('a subscriber cut off');
    this.#subscriber.follow(this.#ledger);
  }

  #newProcess(): LedgerProcess {
    const process = new LedgerProcess({
      ...this.#caches,
      ledger: this.#ledger,
      engine: this.#engine,
      weather: this.#weather,
      random: this.#random,
      desk: this.#desk,
      exertion: this.#exertion,
      clock: this.clock,
      settings,
      flows: this.#flows,
      newId: () => nthId(0x1000_0000 + ++this.#ids),
      find: (search) => this.#find(search),
      waiting: () => this.#waiting(),
      onBug: (error) => this.#bug(error),
    });
    process.start();
    return process;
  }

  /** As new as the newest event. */
  #find(search: Search): string[] {
    this.#look();
    return this.witness.living(search.kind).flatMap((state) => (isMeant(search, state) ? [state.id] : []));
  }

  #look(): void {
    try {
      this.witness.look();
    } catch (violation) {
      this.#fail(violation);
    }
  }

  #waiting(): ResourceRef[] {
    this.#look();
    return [...this.witness.pasts()].flatMap(({ resource, state }) => {
      if (!state || !isAlive(state)) return [];
      const { deadlines } = aggregates[resource.kind];
      const counts = resource.kind === 'node' && countedStates.includes((state as Node).provisionState);
      return counts || (deadlines?.(state, null) ?? []).length > 0 ? [resource] : [];
    });
  }

  #bug(error: unknown): void {
    if (error instanceof UnreadableResource && error.resource.id === spoiled) return;
    const isViolation = error instanceof Violation;
    this.#fail(
      isViolation
        ? error
        : new Violation('harms-nobody-else', `an error that no caller can mean: ${String(error)}`, error),
    );
  }

  #fail(violation: unknown): void {
    this.#violation ??= violation;
  }

  /** Everything that needs no time has happened: promises settle before the next turn of the event loop. */
  async #drain(): Promise<void> {
    await new Promise((resolve) => setImmediate(resolve));
  }
}
