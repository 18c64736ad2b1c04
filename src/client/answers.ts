import type { Actor } from '../domain/kernel/actor.ts';
import type { JsonObject } from '../domain/kernel/json.ts';
import type { ResourceRef } from '../domain/kernel/resource.ts';
import type { Kind, State } from './kinds.ts';

export type { Actor, JsonObject, ResourceRef };

/** What a command did. */
export interface CommandAnswer<K extends Kind = Kind> {
  readonly resource: ResourceRef;
  /** Of the resource's last event, as the command left it: what `ifMatch` takes. */
  readonly revision: number;
  /** Of that event in the whole ledger: what `minPosition` and `after` take. */
  readonly position: string;
  /** What was recorded; empty where the work was done already. */
  readonly events: readonly AnsweredEvent[];
  readonly state: State<K>;
}

export interface AnsweredEvent {
  readonly id: string;
  readonly type: string;
  readonly revision: number;
  readonly time: string;
  readonly data: JsonObject;
}
