import type { Lifetime } from '../kernel/aggregate.ts';
import type {
  DataOf,
  lockKinds,
  MaintenanceCause,
  Markers,
  NodeAttributes,
  PlannedStep,
  PowerState,
} from './events.ts';
import type { KnownState, ProvisionEvent, ProvisionState } from './provision-machine.ts';

export type LockKind = (typeof lockKinds)[number];
export type Outcome = 'succeeded' | 'failed' | 'aborted';

/** The lock: one holder, for one purpose. Work on the node runs under it. */
export interface Reservation {
  holder: string;
  purpose: string;
  kind: LockKind;
  since: string;
  token: number;
  expiresAt?: string;
}

/** The attempt at work, or the last one. */
export interface Operation {
  attempt: number;
  verb: string;
  startedAt: string;
  endedAt: string | null;
  outcome: Outcome | null;
  error: string | null;
  /** The step it failed in. */
  failedStep: string | null;
  /** The lock it began under; earlier ones belong to earlier attempts. */
  firstToken: number;
  steps: PlannedStep[];
  given: string[];
  markers: Markers;
}

export interface Step {
  kind: string;
  interface: string | null;
  name: string;
  priority: number;
  abortable: boolean;
  progress: number | null;
  since: string;
  /** Somebody asked for the operation to end with this step. */
  abortAfter: boolean;
}

/** What a waiting node owes: a sign of life, by when. */
interface CallBack {
  since: string;
  deadline: string;
  timeoutMs: number;
}

/** A report that came while somebody else held the lock. */
interface PostponedReport {
  event: ProvisionEvent;
  attempt: number;
  holder: string;
  error: string | null;
  since: string;
  blockedBy: { holder: string; purpose: string };
}

export interface IgnoredReport {
  event: string;
  attempt: number | null;
  token: number | null;
  holder: string;
  error: string | null;
}

/** Something that went wrong: the first cause, and what followed from it in the same attempt. */
export interface Trouble {
  message: string;
  during: string;
  attempt: number;
  provisionState: ProvisionState;
  raisedAt: string;
  resolvedAt: string | null;
  followUps: { message: string; during: string; raisedAt: string }[];
}

/** Why a node is in maintenance; `reason`, `since` and `fault` sum up the causes. */
export interface Maintenance {
  reason: string | null;
  since: string;
  fault?: string;
  causes: { cause: MaintenanceCause; reason: string | null; since: string }[];
}

export interface Node extends Lifetime, NodeAttributes {
  provisionState: ProvisionState;
  targetProvisionState: KnownState | null;
  /** When the node came into its provision state; nothing but a transition moves it. */
  stateSince: string;
  /** When a worker or the node's ramdisk last said something that was recorded. */
  lastHeardAt: string | null;
  /** The first cause of the trouble at hand. */
  lastError: string | null;
  trouble: Trouble | null;
  /** Newest last, at most {@link troublesKept}; the history has all. */
  pastTroubles: Trouble[];

  reservation: Reservation | null;
  lastToken: number;
  /** The lock under which the work was last at hand; the locks of consoles and power actions are others. */
  workToken: number;
  operation: Operation | null;
  attempts: number;
  /** Who asked for the cleaning at hand; a manual one ends in `manageable`. */
  cleaning: 'manual' | 'automated' | null;
  step: Step | null;
  callBack: CallBack | null;
  postponed: PostponedReport | null;
  ignored: IgnoredReport | null;

  maintenance: Maintenance | null;
  powerState: PowerState | null;
  targetPowerState: PowerState | null;
  instanceId: string | null;

  /** The newest word of an outside system, and the last that came too late to count. */
  observation: Observation | null;
  lateObservation: Observation | null;
}

/** What an outside system said the node is. */
export type Observation = DataOf<'NodeObserved'> & { at: string };

export const troublesKept = 10;
