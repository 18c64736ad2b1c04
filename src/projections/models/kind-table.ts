import type { Lifetime } from '../../domain/kernel/aggregate.ts';
import type { Kind } from '../../domain/kernel/resource.ts';
import type { VertexRef, Wait } from '../queries.ts';
import { agentTable } from './kinds/agent.ts';
import { networkTable } from './kinds/network.ts';
import { nodeTable } from './kinds/node.ts';
import { portTable } from './kinds/port.ts';
import { serverTable } from './kinds/server.ts';

/** What lists filter and sort by, beside what every resource has. */
export interface Columns {
  readonly name: string | null;
  readonly project: string | null;
  readonly network: string | null;
  readonly device: string | null;
}

/** Something the resource depends on. */
export interface Link {
  readonly relation: string;
  readonly to: VertexRef;
}

/** Where the read models find things in the states of one kind. */
export interface KindTable<S extends Lifetime> {
  readonly columns: (state: S) => Columns;
  /** What refines the status: its intervals are kept like those of the status. */
  readonly subState: (state: S) => string | null;
  readonly host: (state: S) => string | null;
  readonly waits: (state: S) => readonly Wait[];
  readonly links: (state: S) => readonly Link[];
  /** MAC and IP addresses that people look for it by. */
  readonly addresses?: (state: S) => readonly string[];
}

/** The models handle every kind alike, so they see the tables with the type of their state erased. */
export const kindTables = {
  port: portTable,
  server: serverTable,
  node: nodeTable,
  agent: agentTable,
  network: networkTable,
} as unknown as Readonly<Record<Kind, KindTable<Lifetime>>>;
