import type { Actor as Caller } from '../../../src/domain/kernel/actor.ts';
import type { Kind } from '../../../src/domain/kernel/resource.ts';
import { nthId } from '../../support/ledger.ts';
import type { Random } from '../../support/random.ts';
import type { Witness } from '../witness.ts';

/** What somebody on the site can do: look at what is recorded, and give commands. */
export interface Scene {
  readonly random: Random;
  readonly witness: Witness;
  /** Whether this agent is running, as only those on its host know. */
  readonly isRunning: (agentId: string) => boolean;
  give(caller: Caller, kind: Kind, id: string, type: string, data?: object): void;
}

/** One thing that somebody does. */
export type Act = (scene: Scene) => void;

export const user = (id: string): Caller => ({ type: 'user', id });
export const agent = (id: string): Caller => ({ type: 'agent', id });

/** Everything there is on the site. There is little of it, so that everybody is in everybody's way. */
export const hosts = ['host-a', 'host-b'] as const;
export const conductors = ['conductor-1', 'conductor-2'] as const;
export const ports = [nthId(1), nthId(2), nthId(3)];
export const servers = [nthId(11), nthId(12), nthId(13)];
/** Those of them that are built on nodes. */
export const bareMetal: readonly string[] = servers.slice(0, 2);
export const nodes = [nthId(21), nthId(22)];
export const network = nthId(31);
export const subnet = nthId(32);

export const maybe = (random: Random, chance: number): boolean => random.next() < chance;
