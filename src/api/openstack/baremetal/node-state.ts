import type { Node } from '../../../domain/node/state.ts';
import type { State } from '../resources.ts';

/** A node as the runtime and the read models hand it out. */
export type NodeState = Node & State;
