import type { Actor } from '../domain/kernel/actor.ts';
import type { JsonObject } from '../domain/kernel/json.ts';
import type { Refusal } from '../domain/kernel/refusal.ts';
import type { ResourceRef } from '../domain/kernel/resource.ts';

/** A command on its way in: already parsed with its schema, and with everything its events will remember of it. */
export interface CommandRequest {
  readonly resource: ResourceRef;
  readonly type: string;
  readonly data: object;
  readonly actor: Actor;
  /** The actor has proved to be an administrator, who may overrule what others may not. */
  readonly administrator?: true | undefined;
  /** Makes a retry safe: the same key on the same resource is the same command. */
  readonly key?: string | undefined;
  /** What the caller asked for, where the data is made of that and of what was read: what a key is kept for. */
  readonly asked?: object | undefined;
  /** The command is refused when the resource is at another revision. */
  readonly ifRevision?: number | undefined;
  /** Ties together everything one request causes. Default: the command's own id. */
  readonly correlationId?: string | undefined;
  /** The event a process manager acts on. Default: the command's own id. */
  readonly causationId?: string | undefined;
  readonly traceparent?: string | undefined;
  readonly requestId?: string | undefined;
}

export interface AnsweredEvent {
  readonly id: string;
  readonly type: string;
  readonly revision: number;
  readonly time: string;
  readonly data: JsonObject;
}

/** A command that was carried out, durably. Events and state are kept as the JSON text that goes to the caller. */
export class Done {
  readonly outcome = 'done';
  readonly resource: ResourceRef;
  /** Revision and position of the resource's last event, as this command left it. */
  readonly revision: number;
  readonly position: string;
  /** A JSON array; `[]` where the work was done already. */
  readonly eventsText: string;
  /** The resource's state after the command. */
  readonly stateText: string;

  constructor(resource: ResourceRef, revision: number, position: string, eventsText: string, stateText: string) {
    this.resource = resource;
    this.revision = revision;
    this.position = position;
    this.eventsText = eventsText;
    this.stateText = stateText;
  }

  get events(): AnsweredEvent[] {
    return JSON.parse(this.eventsText) as AnsweredEvent[];
  }

  get state(): JsonObject {
    return JSON.parse(this.stateText) as JsonObject;
  }
}

/** A command the rules refused. Nothing was changed; that it came may be recorded. */
export interface Refused {
  readonly outcome: 'refused';
  readonly resource: ResourceRef;
  readonly refusal: Refusal;
  /** The resource's revision when it was refused; -1 where there is none. */
  readonly revision: number;
}

export type Outcome = Done | Refused;

/** A resource as it is: durable, at one revision. */
export class CurrentState {
  readonly revision: number;
  readonly position: string;
  /** JSON text of the state as people see it. */
  readonly stateText: string;
  readonly deletedAt: string | undefined;
  #state: JsonObject | undefined;

  constructor(revision: number, position: string, stateText: string, deletedAt: string | undefined) {
    this.revision = revision;
    this.position = position;
    this.stateText = stateText;
    this.deletedAt = deletedAt;
  }

  /** The same, parsed once. Shared by all who ask: to be read, never to be changed. */
  get state(): JsonObject {
    this.#state ??= JSON.parse(this.stateText) as JsonObject;
    return this.#state;
  }
}
