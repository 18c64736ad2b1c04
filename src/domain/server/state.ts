import type { Lifetime } from '../kernel/aggregate.ts';
import type { Json } from '../kernel/json.ts';
import type { Awaited, ExternalEvent, WaitResult } from './events.ts';
import type { Fault } from './faults.ts';
import type { Condition, PowerState, TaskState, VmState } from './states.ts';

export interface Server extends Lifetime {
  name: string;
  description: string | null;
  projectId: string;
  userId: string;
  imageRef: string | null;
  flavorRef: string | null;
  metadata: Record<string, string>;
  tags: string[];
  availabilityZone: string | null;
  reservationId: string | null;
  forcedHost: string | null;

  vmState: VmState;
  taskState: TaskState | null;
  powerState: PowerState;
  /** When vmState, taskState and powerState became what they are. */
  conditionSince: string;
  host: string | null;
  /** The bare-metal node below it. */
  nodeId?: string;
  ports: string[];
  /** Those of `ports` that were made for this server and go with it. */
  ownPorts: string[];
  launchedAt?: string;

  /** While vmState is `building`. */
  build: Build | null;
  /** Every host that was tried, and every time that none was found, oldest first. */
  attempts: Attempt[];
  /** While vmState is `pending`. */
  pending: Pending | null;
  /** How often no host had room. */
  timesPending: number;
  /** The action that runs. Its result says nothing about the server, nor the server's state about its result. */
  operation: Operation | null;
  lastOperation: EndedOperation | null;
  /** While vmState is `resized`, and while it is left: where a revert leads. */
  resizedFrom: ResizeOrigin | null;
  /** The latest evacuation away from each host. */
  evacuations: Evacuation[];

  /** What the build or the action that runs waits for, or has waited for. */
  waits: Wait[];
  /** Set while the worker is done and a wait is not. */
  guestReady: GuestReady | null;
  /** The latest external event of each subject since the build attempt or the action began. */
  externalEvents: KeptEvent[];

  /** Everything that ever went wrong, oldest first. */
  faults: Fault[];
  lock: Lock | null;
  /** Set while the state is one that somebody ordered and no worker has confirmed. */
  forced: Forced | null;
  /** The newest word of an outside system, and the last that came too late to count. */
  observation: Observation | null;
  lateObservation: Observation | null;
}

export interface Build {
  /** The first is 1; each rebuild of a PENDING server begins another. */
  round: number;
  since: string;
  /** The attempt that runs; null while a host is sought. */
  attempt: number | null;
  /** Hosts tried in this round. */
  tried: number;
  maxAttempts: number;
  /** Hosts left to try; null where the scheduler named none. */
  alternates: string[] | null;
  deadline: string | null;
}

export interface Attempt {
  number: number;
  round: number;
  /** Null where no host was found. */
  host: string | null;
  outcome: 'running' | 'succeeded' | 'failed' | 'abandoned';
  reason: string | null;
  startedAt: string;
  endedAt: string | null;
}

export interface Pending {
  since: string;
  reason: string;
  attempt: number;
  deadline: string | null;
  lease?: Lease;
}

export interface Lease {
  holder: string;
  since: string;
  expiresAt: string;
}

export interface Operation {
  /** The event that began it. */
  id: string;
  action: string;
  arguments: Record<string, Json>;
  since: string;
  before: Condition & { host: string | null };
  endsIn: VmState;
  step: TaskState | null;
  stepSince: string;
  /** Who works on it; null while nobody has taken it up. */
  worker: string | null;
}

export interface EndedOperation {
  id: string;
  action: string;
  since: string;
  endedAt: string;
  result: 'succeeded' | 'failed' | 'superseded';
  outcome?: 'as-before' | 'unknown';
  reason?: string;
}

export interface ResizeOrigin {
  host: string | null;
  vmState: VmState;
  flavorRef: string | null;
}

export interface Evacuation {
  from: string;
  to: string | null;
  since: string;
  verdict: 'undecided' | 'evacuated' | 'failed';
}

export interface Wait extends Awaited {
  since: string;
  deadline: string;
  /** Whether the build or action fails when this does not come. */
  fatal: boolean;
  result?: WaitResult;
  endedAt?: string;
}

export interface GuestReady {
  at: string;
  powerState: PowerState | null;
  host: string | null;
}

export type KeptEvent = ExternalEvent & { at: string };

export interface Lock {
  by: string;
  since: string;
  reason: string | null;
}

export interface Forced {
  since: string;
  cause: string;
  note: string;
}

export interface Observation {
  source: string;
  observedAt: string | null;
  at: string;
  condition: Condition;
  unexpected: boolean;
}
