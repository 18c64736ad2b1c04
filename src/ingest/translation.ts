import type { z } from 'zod';
import { type NodeCommands, nodeCommands } from '../domain/node/commands.ts';
import { type PortCommands, portCommands } from '../domain/port/commands.ts';
import { type ServerCommands, serverCommands } from '../domain/server/commands.ts';
import type { Notification } from './notification.ts';

/** What a payload says of a resource, as far as the ledger has a name for it. `undefined`: it does not say. */
type Said<C extends z.ZodType> = { [K in keyof z.input<C>]?: unknown };

interface Observable {
  port: Said<PortCommands['ObservePort']>;
  server: Said<ServerCommands['ObserveServer']>;
  node: Said<NodeCommands['ObserveNode']>;
}
export type ObservedKind = keyof Observable;

/** What one message says of one resource. */
export type Observed = { [K in ObservedKind]: { kind: K; id: string | undefined; says: Observable[K] } }[ObservedKind];

/** What an event type is to the ledger: what it says, or why nothing is taken from it. */
export type Reading = ((notification: Notification) => Observed[]) | { readonly skipped: string };

export const schemas = {
  port: { type: 'ObservePort', schema: portCommands.ObservePort },
  server: { type: 'ObserveServer', schema: serverCommands.ObserveServer },
  node: { type: 'ObserveNode', schema: nodeCommands.ObserveNode },
} as const;

export const announcement = { skipped: 'it says what is asked for, not what is' } as const;
