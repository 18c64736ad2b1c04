import type { agentCommands } from '../domain/agent/commands.ts';
import type { Agent } from '../domain/agent/state.ts';
import type { CommandInput } from '../domain/kernel/commands.ts';
import type { Kind } from '../domain/kernel/resource.ts';
import type { networkCommands } from '../domain/network/commands.ts';
import type { Network } from '../domain/network/state.ts';
import type { nodeCommands } from '../domain/node/commands.ts';
import type { Node } from '../domain/node/state.ts';
import type { portCommands } from '../domain/port/commands.ts';
import type { Port } from '../domain/port/state.ts';
import type { serverCommands } from '../domain/server/commands.ts';
import type { Server } from '../domain/server/state.ts';

export type { Kind };

interface Commands {
  port: CommandInput<typeof portCommands>;
  server: CommandInput<typeof serverCommands>;
  node: CommandInput<typeof nodeCommands>;
  agent: CommandInput<typeof agentCommands>;
  network: CommandInput<typeof networkCommands>;
}

interface States {
  port: Port;
  server: Server;
  node: Node;
  agent: Agent;
  network: Network;
}

/** What can be told to a resource of this kind, as `{type, data}`. */
export type Command<K extends Kind = Kind> = Commands[K];

/** What is known of a resource of this kind. */
export type State<K extends Kind = Kind> = States[K];

/** The path under which the resources of a kind are found. */
export const paths: Readonly<Record<Kind, string>> = {
  port: '/v1/ports',
  server: '/v1/servers',
  node: '/v1/nodes',
  agent: '/v1/agents',
  network: '/v1/networks',
};
