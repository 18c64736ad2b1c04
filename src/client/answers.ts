import type { Actor } from '../domain/kernel/actor.ts';
import type { JsonObject } from '../domain/kernel/json.ts';
import type { ResourceRef } from '../domain/kernel/resource.ts';
import type { Problem } from './errors.ts';
import type { Kind, State } from './kinds.ts';

export type { Actor, JsonObject, ResourceRef };

/** A resource at one revision. */
export interface StateAnswer<K extends Kind = Kind> {
  readonly state: State<K>;
  /** What `ifMatch` takes. */
  readonly revision: number;
  /** Of the resource's last event in the whole ledger: what `minPosition` and `after` take. */
  readonly position: string;
}

/** What a command did, and what the resource is after it. */
export interface CommandAnswer<K extends Kind = Kind> extends StateAnswer<K> {
  readonly resource: ResourceRef;
  /** What was recorded; empty where the work was done already. */
  readonly events: readonly AnsweredEvent[];
}

export interface AnsweredEvent {
  readonly id: string;
  readonly type: string;
  readonly revision: number;
  readonly time: string;
  readonly data: JsonObject;
}

/** What became of one command among many: what it did, or why it was turned down. */
export type Verdict = VerdictDone | VerdictRefused;

export interface VerdictDone extends Omit<CommandAnswer, 'state'> {
  readonly done: true;
  /** The command's key, given or generated. */
  readonly key: string;
}

export interface VerdictRefused {
  readonly done: false;
  readonly key: string;
  readonly resource: ResourceRef;
  readonly problem: Problem;
}

/** An event with everything that is kept of it. */
export interface LedgerEvent {
  readonly id: string;
  readonly stream: string;
  /** Null for a stream of no known kind. */
  readonly resource: ResourceRef | null;
  readonly revision: number;
  readonly position: string;
  readonly type: string;
  /** Version of the schema that `data` follows. */
  readonly v: number;
  readonly time: string;
  readonly data: JsonObject;
  readonly metadata: EventMetadata;
}

/** How an event came about. */
export interface EventMetadata {
  readonly $correlationId: string;
  readonly $causationId: string;
  readonly actor: Actor;
  readonly commandId: string;
  readonly commandType: string;
  readonly traceparent?: string;
  readonly requestId?: string;
  readonly chain: string;
}

export interface EventPage {
  readonly events: readonly LedgerEvent[];
  /** The `after` of the following page. */
  readonly next: string;
}

/** One event in the life of a resource, told with who, why, and what it changed. */
export interface HistoryEntry {
  readonly revision: number;
  readonly position: string;
  readonly id: string;
  readonly type: string;
  readonly v: number;
  readonly time: string;
  readonly actor: Actor | null;
  readonly cause: Cause;
  /** Time since the event before; null for the first. */
  readonly sincePreviousMs: number | null;
  /** Where the event changed the status people know the resource by. */
  readonly statusChange: StatusChange | null;
  readonly data: JsonObject;
  /** With `diff`: what the event made of the state. */
  readonly patch?: readonly JsonPatchOperation[];
  /** Where the server's rules cannot fold the event: why. */
  readonly unfoldable?: string;
}

export interface Cause {
  readonly commandType: string | null;
  readonly commandId: string | null;
  readonly correlationId: string | null;
  readonly causationId: string | null;
  readonly requestId: string | null;
}

export interface StatusChange {
  readonly from: string | null;
  readonly to: string;
  /** How long the status before had lasted. */
  readonly lastedMs: number | null;
}

/** One change of a JSON Patch (RFC 6902). */
export type JsonPatchOperation =
  | { readonly op: 'add' | 'replace'; readonly path: string; readonly value: unknown }
  | { readonly op: 'remove'; readonly path: string };
