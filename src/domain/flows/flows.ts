import type { Flow } from './flow.ts';
import { nodeToServer } from './node-to-server.ts';
import { portToServer } from './port-to-server.ts';
import { reconsiderPorts } from './reconsider-ports.ts';
import type { SearchingFlow } from './searching-flow.ts';
import { serverToNode } from './server-to-node.ts';
import { serverToPorts } from './server-to-ports.ts';
import { takeOverConductors } from './take-over-conductors.ts';
import { unscheduleDeletedDhcpAgents } from './unschedule-deleted-dhcp-agents.ts';

/** Every process manager there is: who tells whom when something happens. */
export const flows: readonly (Flow | SearchingFlow)[] = [
  portToServer,
  serverToPorts,
  serverToNode,
  nodeToServer,
  reconsiderPorts,
  unscheduleDeletedDhcpAgents,
  takeOverConductors,
];
