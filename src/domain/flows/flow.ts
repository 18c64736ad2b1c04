import type { Related } from '../kernel/aggregate.ts';
import type { JsonObject } from '../kernel/json.ts';
import type { ResourceRef } from '../kernel/resource.ts';

/** An event as a process manager sees it. */
export interface FlowEvent {
  readonly id: string;
  readonly resource: ResourceRef;
  readonly revision: number;
  readonly type: string;
  readonly time: string;
  /** Lifted to the current schema. */
  readonly data: JsonObject;
}

export interface FlowCommand {
  readonly resource: ResourceRef;
  readonly type: string;
  readonly data: object;
}

/** Why a command that a process manager gave was refused. */
export interface FlowRefusal {
  readonly slug: string;
  readonly detail: string;
}

/**
 * A process manager: what one resource's event asks of others. Pure. It is run at least once for each event, and its
 * commands carry keys derived from the event, so that a second run changes nothing. Replaying a stream never runs it.
 */
export interface Flow {
  /** Kebab-case; with the event's id it is the key of the commands, so it never changes. */
  readonly name: string;
  /** The types of event it listens to. */
  readonly types: readonly string[];
  /** In whose name it acts, where that is more telling than its own name. */
  readonly actor?: (event: FlowEvent) => string;
  /** Resources it must see; asked again with those already known, so that one may lead to the next. */
  readonly needs?: (event: FlowEvent, known: Related) => readonly ResourceRef[];
  /** `related` is the present, which may be later than the event. */
  readonly react: (event: FlowEvent, related: Related) => readonly FlowCommand[];
  /**
   * What follows from a command that was refused for good: what can be refused for a while (`retryable`) has been tried
   * again before. By default nothing follows.
   */
  readonly refused?: (event: FlowEvent, command: FlowCommand, refusal: FlowRefusal) => readonly FlowCommand[];
}
