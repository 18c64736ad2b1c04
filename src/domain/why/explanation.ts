import type { ResourceRef } from '../kernel/resource.ts';

/**
 * Why a resource is as it is: a tree of the conditions it needs, met or not, across everything they depend on. `P` is how
 * an event is named that proves something: a {@link Clue} while the tree is made, a {@link Proof} in the answer.
 */
export interface Explanation<P> {
  readonly resource: ResourceRef & { readonly name: string | null };
  readonly status: string;
  /** Since when it has this status; null where that lies further back than was looked. */
  readonly since: string | null;
  /**
   * `fine`: nothing stands in the way. `waiting`: somebody who can lift what stands in the way is expected to. `stuck`:
   * nobody is, unless an operator steps in. `gone`: it was deleted. `unknown`: nothing was ever recorded of it.
   */
  readonly verdict: Verdict;
  readonly summary: string;
  /** Those that are not met first, the oldest first; then those that are met. */
  readonly conditions: readonly Condition<P>[];
  /** What is worth knowing but does not stand in the way. */
  readonly hints: readonly Hint<P>[];
  /** Why its own conditions are not told here: they are told elsewhere in the tree, or lie too deep. */
  readonly elided: 'told-elsewhere' | 'too-deep' | null;
}

export type Verdict = 'fine' | 'waiting' | 'stuck' | 'gone' | 'unknown';

export interface Condition<P> {
  /** What kind of condition: a word that programs may rely on. */
  readonly what: string;
  readonly met: boolean;
  readonly summary: string;
  readonly since: string;
  readonly owner: Owner | null;
  /** Whether this can still be lifted, and how; null where it is met. */
  readonly clearable: Clearance | null;
  readonly proof: readonly P[];
  /** What it waits for in turn. */
  readonly because: readonly Explanation<P>[];
}

/** Whose part it is. */
export interface Owner {
  readonly kind: 'agent' | 'host' | 'worker' | 'back-end' | 'ramdisk' | 'service' | 'operator';
  readonly id: string;
  readonly host: string | null;
  /** Null where nothing here tells. */
  readonly alive: boolean | null;
  readonly lastSeenAt: string | null;
}

export interface Clearance {
  /**
   * `itself`: by the passing of time or by the ledger. `owner`: by its owner. `operator`: by somebody who decides.
   * `nobody`: as things are by nobody; the command, if there is one, overrules.
   */
  readonly by: 'itself' | 'owner' | 'operator' | 'nobody';
  readonly how: string;
  /** When it is given up by itself. */
  readonly deadline: string | null;
  readonly command: Remedy | null;
}

/** A command ready to be sent: `POST path`, with `body` as it stands. */
export interface Remedy {
  readonly path: string;
  readonly body: { readonly type: string; readonly data: object };
}

export interface Hint<P> {
  readonly what: string;
  /**
   * `note`: good to know. `leftover`: something that should have been tidied up. `contradiction`: two records that
   * cannot both be true. `restless`: it does not keep still, or has stayed too long.
   */
  readonly kind: 'note' | 'leftover' | 'contradiction' | 'restless';
  readonly summary: string;
  readonly since: string;
  readonly proof: readonly P[];
  /** What mends it; null where nothing need be done, or where people must look first. */
  readonly command: Remedy | null;
}

/** How to find the event that proves something. */
export interface Clue {
  readonly on: ResourceRef;
  readonly types: readonly string[];
  /** The time it was recorded. Without it: the latest. */
  readonly at?: string;
  readonly where?: (data: Readonly<Record<string, unknown>>) => boolean;
}

export interface Proof {
  readonly eventId: string;
  readonly stream: string;
  readonly type: string;
  readonly revision: number;
  readonly position: string;
  readonly time: string;
}

/** Something at the bottom of it all: a condition that is not met, and not because of another resource. */
export interface RootCause<P> extends Omit<Condition<P>, 'because' | 'met'> {
  readonly resource: Explanation<P>['resource'];
}

/** Why a resource is, or was, as it is. */
export interface Why extends Explanation<Proof> {
  /** The moment it is told for: the resource's last event by then, and the time by the ledger's clock. */
  readonly at: { readonly revision: number; readonly position: string; readonly time: string };
  /** What lies at the bottom, first cause first. */
  readonly causes: readonly RootCause<Proof>[];
  /** Who waits for this resource. */
  readonly waitedForBy: readonly WaitedFor[];
  /** Whether something was left out: too many resources, or read models that do not answer yet. */
  readonly partial: boolean;
}

export interface WaitedFor {
  readonly resource: ResourceRef & { readonly name: string | null };
  readonly what: string;
  readonly since: string;
  readonly deadline: string | null;
}
