import type { Lifetime } from '../../../domain/kernel/aggregate.ts';
import type { Kind } from '../../../domain/kernel/resource.ts';
import type { KindTable } from '../kind-table.ts';
import { agentTable } from './agent.ts';
import { networkTable } from './network.ts';
import { nodeTable } from './node.ts';
import { portTable } from './port.ts';
import { serverTable } from './server.ts';

/** The models handle every kind alike, so they see the tables with the type of their state erased. */
export const kindTables = {
  port: portTable,
  server: serverTable,
  node: nodeTable,
  agent: agentTable,
  network: networkTable,
} as unknown as Readonly<Record<Kind, KindTable<Lifetime>>>;
