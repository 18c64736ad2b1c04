import { agentRef, agentTypes } from '../../../src/domain/agent/identity.ts';
import type { Random } from '../../support/random.ts';
import type { Clients } from '../clients.ts';
import type { Faults } from '../faults.ts';
import { agent, conductors, hosts } from './actor.ts';

const wiring = { bridge_mappings: { physnet1: 'br-physnet1' }, tunnel_types: ['vxlan'] };

interface Running {
  readonly id: string;
  readonly configurations: object;
  isUp: boolean;
}

/** The agents of the site: they introduce themselves, beat while they run, fall silent, and come back. */
export class Agents {
  readonly #all: readonly Running[] = [
    ...hosts.map((host) => ({ ...agentRef(host, agentTypes.openVswitch), configurations: wiring, isUp: false })),
    ...hosts.map((host) => ({ ...agentRef(host, agentTypes.dhcp), configurations: {}, isUp: false })),
    ...conductors.map((name) => ({ ...agentRef(name, agentTypes.conductor), configurations: {}, isUp: false })),
  ];
  readonly #clients: Clients;
  readonly #random: Random;
  readonly #faults: Faults;

  constructor(clients: Clients, random: Random, faults: Faults) {
    this.#clients = clients;
    this.#random = random;
    this.#faults = faults;
  }

  isRunning = (id: string): boolean => this.#all.some((one) => one.id === id && one.isUp);

  startAll(): void {
    for (const each of this.#all) this.#start(each);
  }

  /** One of them does something that is not its daily work. */
  act(): void {
    const one = this.#random.oneOf(this.#all);
    if (!one.isUp) {
      this.#start(one);
      return;
    }
    if (this.#random.next() < 0.6) return;
    one.isUp = false;
    this.#faults.note('an agent fell silent');
    if (this.#random.next() < 0.2) this.#clients.give({ type: 'user', id: 'admin' }, 'agent', one.id, 'DeleteAgent');
  }

  beat(): void {
    for (const { id, isUp } of this.#all) if (isUp) this.#clients.beat(agent(id), 'agent', id);
  }

  #start(one: Running): void {
    const { id, configurations } = one;
    one.isUp = true;
    this.#clients.give(agent(id), 'agent', id, 'RegisterAgent', { configurations });
  }
}
