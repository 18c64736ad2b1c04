import type { Server } from '../../../domain/server/state.ts';
import type { State } from '../resources.ts';

/** A server as the routes read it: its state, and what people see beside. */
export type ServerState = Server & State;
