import { agentAggregate } from './agent/index.ts';
import type { Aggregate } from './kernel/aggregate.ts';
import type { Kind } from './kernel/resource.ts';
import { networkAggregate } from './network/index.ts';
import { nodeAggregate } from './node/index.ts';
import { portAggregate } from './port/index.ts';
import { serverAggregate } from './server/index.ts';

/** Every kind of resource the ledger keeps. The machinery asks each for its tables and knows nothing else of it. */
export const aggregates = {
  port: portAggregate,
  server: serverAggregate,
  node: nodeAggregate,
  agent: agentAggregate,
  network: networkAggregate,
} as unknown as Readonly<Record<Kind, Aggregate>>;
