import type { Agent } from '../../../domain/agent/state.ts';
import type { KindTable } from '../kind-table.ts';

/** Agents have no name; people tell them apart by what they do. */
export const agentTable: KindTable<Agent> = {
  columns: ({ type }) => ({ name: type, project: null, network: null, device: null }),
  subState: () => null,
  host: ({ host }) => host,
  waits: () => [],
  links: ({ host }) => [{ relation: 'host', to: { kind: 'host', id: host } }],
};
