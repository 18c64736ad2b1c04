import { z } from 'zod';
import type { CommandOf } from '../kernel/commands.ts';
import { HostName, Timestamp, Uuid } from '../kernel/resource.ts';
import { actionNames } from './actions.ts';
import {
  Awaited,
  ExternalEventName,
  ExternalEventStatus,
  ExternalEventTag,
  externalEventNames,
  serverAttributes,
} from './events.ts';
import { Failure } from './faults.ts';
import { PowerState, SeenTaskState, SeenVmState, TaskState } from './states.ts';

const nothing = z.strictObject({});
const name = z.string().min(1).max(255);
const ports = z.array(Uuid).max(256);
const hosts = z.array(HostName).max(100);

/** Which host may be asked for, where the user may ask for one. */
const toHost = z.strictObject({ host: HostName.optional() });

/** Who speaks, and about which attempt: a report about another one changes nothing. */
const aboutAttempt = {
  /** The attempt's number, as in `attempts`. */
  attempt: z.number().int().positive().optional(),
  host: HostName.optional(),
};

/** Who speaks, and about which action, as in `operation`. */
const aboutAction = {
  action: z.enum(actionNames),
  operationId: z.uuid().optional(),
  /** Who does the work; the caller where it is left out. */
  worker: name.optional(),
  /** Where the guest is now. */
  host: HostName.optional(),
};

const waitFor = z.array(Awaited.strict()).max(256);
const tagged: readonly string[] = ['volume-extended', 'power-update', 'accelerator-request-bound', 'volume-reimaged'];

export const serverCommands = {
  /** Begins the server's life: building, and a host is sought. */
  CreateServer: z.strictObject({
    name: serverAttributes.name.default(''),
    description: serverAttributes.description.default(null),
    projectId: serverAttributes.projectId.default(''),
    userId: serverAttributes.userId.default(''),
    imageRef: serverAttributes.imageRef.default(null),
    flavorRef: serverAttributes.flavorRef.default(null),
    metadata: serverAttributes.metadata.default({}),
    tags: serverAttributes.tags.default([]),
    availabilityZone: serverAttributes.availabilityZone.default(null),
    reservationId: z.string().max(255).nullable().default(null),
    forcedHost: HostName.nullable().default(null),
    ports: ports.default([]),
  }),

  /** Changes attributes; those left out, and those that have the value already, stay as they are. */
  UpdateServer: z.strictObject({
    name: serverAttributes.name.optional(),
    description: serverAttributes.description.optional(),
    metadata: serverAttributes.metadata.optional(),
    tags: serverAttributes.tags.optional(),
  }),

  /** The scheduler's report: a host was chosen. `alternates` are others to try, best first, when it fails there. */
  ServerScheduled: z.strictObject({
    host: HostName,
    nodeId: Uuid.optional(),
    alternates: hosts.optional(),
  }),

  /** The builder's report: it has come to this step. `ports` were made for the server and go with it. */
  ReportBuildProgress: z.strictObject({
    ...aboutAttempt,
    taskState: z.enum(['networking', 'block_device_mapping', 'spawning']),
    ports: ports.optional(),
    /** What must come from outside before the server is active. Left out at `spawning`: the plugging of every port. */
    waitFor: waitFor.optional(),
  }),

  /** The guest runs. The server is active when nothing is awaited any more. */
  ReportBuildSuccess: z.strictObject({ ...aboutAttempt, powerState: PowerState.optional() }),

  /** The scheduler or the builder failed. What follows depends on `reason`, the class of exception. */
  ReportBuildFailure: z.strictObject({ ...aboutAttempt, ...Failure.shape }),

  StopServer: nothing,
  StartServer: nothing,
  RebootServer: z.strictObject({ type: z.enum(['SOFT', 'HARD']).default('SOFT') }),
  PauseServer: nothing,
  UnpauseServer: nothing,
  SuspendServer: nothing,
  ResumeServer: nothing,
  RescueServer: z.strictObject({ imageRef: z.string().max(255).optional() }),
  UnrescueServer: nothing,
  /** Builds the guest anew from an image. A PENDING server is built for the first time: a host is sought again. */
  RebuildServer: z.strictObject({
    imageRef: z.string().max(255).optional(),
    /** For a PENDING server: in whose name its claim was made; the caller where it is left out. */
    holder: name.optional(),
  }),
  EvacuateServer: toHost,
  ResizeServer: z.strictObject({ flavorRef: z.string().min(1).max(255) }),
  MigrateServer: toHost,
  ConfirmResize: nothing,
  RevertResize: nothing,
  LiveMigrateServer: toHost,
  ShelveServer: nothing,
  ShelveOffloadServer: nothing,
  UnshelveServer: toHost,
  /** The password itself goes to the worker, never to the ledger. */
  ChangePassword: nothing,
  CreateImage: z.strictObject({ name: name.optional() }),
  CreateBackup: z.strictObject({ name: name.optional() }),
  SoftDeleteServer: nothing,
  RestoreServer: nothing,
  DeleteServer: nothing,
  ForceDeleteServer: nothing,

  /** A worker has taken the action up, or has come to a step of it. */
  ReportActionProgress: z.strictObject({
    ...aboutAction,
    taskState: TaskState.nullable().optional(),
    waitFor: waitFor.optional(),
  }),
  /** The action succeeded. It is over when nothing is awaited any more. */
  ReportActionSuccess: z.strictObject({ ...aboutAction, powerState: PowerState.optional() }),
  /** The action failed, and left the guest as it was before, or in a state that nobody knows. */
  ReportActionFailure: z.strictObject({
    ...aboutAction,
    ...Failure.shape,
    outcome: z.enum(['as-before', 'unknown']).optional(),
    powerState: PowerState.optional(),
  }),

  /** What Nova takes at `os-server-external-events`, one at a time. */
  ReceiveExternalEvent: z
    .strictObject({
      name: ExternalEventName,
      tag: ExternalEventTag.optional(),
      status: ExternalEventStatus.default('completed'),
      /** The host and the binding it speaks about. */
      host: HostName.optional(),
      generation: z.number().int().nonnegative().optional(),
      /** A failure that may pass: whoever waits goes on waiting. */
      retryable: z.boolean().default(false),
    })
    .refine((event) => event.tag !== undefined || !tagged.includes(event.name), {
      path: ['tag'],
      message: `is required for ${externalEventNames.filter((event) => tagged.includes(event)).join(', ')}`,
    }),
  /** These events need not come after all. */
  WaiveExternalEvents: z.strictObject({ events: waitFor.min(1) }),

  /** Tells others that the caller makes room for this PENDING server. */
  ClaimPendingServer: z.strictObject({ holder: name.optional() }),
  RenewPendingClaim: z.strictObject({ holder: name.optional() }),
  ReleasePendingClaim: z.strictObject({ holder: name.optional() }),

  AttachInterface: z.strictObject({ portId: Uuid }),
  DetachInterface: z.strictObject({ portId: Uuid }),
  LockServer: z.strictObject({ reason: z.string().max(255).nullable().default(null) }),
  UnlockServer: nothing,

  /** Orders a state, whatever the guest is doing. */
  ResetServerState: z.strictObject({ state: z.enum(['active', 'error']) }),
  /** What a hypervisor says about the guest. `revision` is that of the server it was compared with. */
  ReportPowerState: z.strictObject({
    powerState: PowerState,
    revision: z.number().int().nonnegative().optional(),
  }),
  /** The worker on `host` was started again: what it was doing is lost. */
  ReportComputeRestart: z.strictObject({ host: HostName }),
  /** What an outside system says the server is. Accepted in every state. */
  ObserveServer: z.strictObject({
    source: name,
    observedAt: Timestamp.optional(),
    vmState: SeenVmState,
    taskState: SeenTaskState.nullable().default(null),
    powerState: PowerState.optional(),
    host: HostName.nullable().optional(),
    nodeId: Uuid.nullable().optional(),
    launchedAt: Timestamp.nullable().optional(),
    name: serverAttributes.name.optional(),
    projectId: serverAttributes.projectId.optional(),
    userId: serverAttributes.userId.optional(),
    imageRef: serverAttributes.imageRef.optional(),
    flavorRef: serverAttributes.flavorRef.optional(),
    metadata: serverAttributes.metadata.optional(),
    ports: ports.optional(),
    /** What is said to have gone wrong. */
    failure: Failure.optional(),
  }),

  /** The ledger's clock: the deadline of this name and moment has passed. */
  DeadlinePassed: z.strictObject({ name: z.string(), at: Timestamp }),
};

export type ServerCommands = typeof serverCommands;
export type ServerCommand = CommandOf<ServerCommands>;
export type DataFor<T extends keyof ServerCommands> = z.output<ServerCommands[T]>;
