import { agentAggregate } from './agent/index.ts';
import type { Aggregate } from './kernel/aggregate.ts';
import type { Kind } from './kernel/resource.ts';
import { networkAggregate } from './network/index.ts';
import { portAggregate } from './port/index.ts';

/** Every kind of resource the ledger keeps. */
export const aggregates = {
  port: portAggregate,
  agent: agentAggregate,
  network: networkAggregate,
} as unknown as Readonly<Record<Kind, Aggregate>>;
