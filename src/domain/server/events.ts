import { z } from 'zod';
import { defineEvents, type EventOf, revised } from '../kernel/events.ts';
import { HostName, Timestamp, Uuid } from '../kernel/resource.ts';
import { Fault } from './faults.ts';
import { Condition, PowerState, SeenTaskState, SeenVmState } from './states.ts';

/** What a server is, apart from what happens to it. */
export const serverAttributes = {
  name: z.string().max(255),
  description: z.string().max(255).nullable(),
  projectId: z.string().max(255),
  userId: z.string().max(255),
  imageRef: z.string().max(255).nullable(),
  flavorRef: z.string().max(255).nullable(),
  metadata: z.record(z.string().min(1).max(255), z.string().max(255)),
  tags: z.array(z.string().min(1).max(60)).max(50),
  availabilityZone: z.string().max(255).nullable(),
};

/** What only a new server is given. */
const creationAttributes = {
  ...serverAttributes,
  /** The same for servers that were asked for in one request. */
  reservationId: z.string().max(255).nullable(),
  /** The only host that may build it. */
  forcedHost: HostName.nullable(),
  ports: z.array(Uuid).max(256),
};

export const ServerChanges = z.object(serverAttributes).partial();
export type ServerChanges = z.infer<typeof ServerChanges>;

/** What makes a wait and an external event meet. Compared exactly, where both sides name it. */
const eventScope = {
  host: HostName.exactOptional(),
  /** The generation of the port's binding: an event about an earlier one does not count. */
  generation: z.number().int().nonnegative().exactOptional(),
};

export const externalEventNames = [
  'network-changed',
  'network-vif-plugged',
  'network-vif-unplugged',
  'network-vif-deleted',
  'volume-extended',
  'power-update',
  'accelerator-request-bound',
  'volume-reimaged',
] as const;
export const ExternalEventName = z.enum(externalEventNames);
export const ExternalEventTag = z.string().min(1).max(255);
export const ExternalEventStatus = z.enum(['completed', 'failed', 'in-progress']);

/** An external event, or what somebody waits for. */
export const Awaited = z.object({ event: ExternalEventName, tag: ExternalEventTag, ...eventScope });
export const WaitResult = z.enum(['completed', 'failed', 'in-progress', 'waived', 'timed-out']);

export const verdicts = [
  'satisfied', // ended a wait well
  'failed', // ended a wait badly
  'retryable', // a failure that its sender says may pass; the wait goes on
  'applied', // changed the server itself
  'kept', // nobody waits for it yet
  'late', // the wait for it is over
  'other-binding', // somebody waits for it, but from another host or a later binding
] as const;

const AttemptOutcome = z.enum(['succeeded', 'failed', 'abandoned']);
const text = z.string().max(255);

// What can happen to a server. These names are the storage format.
export const serverEvents = defineEvents('server', {
  /** A user asked for it: building/scheduling, without a host. */
  ServerCreated: z.object(creationAttributes),
  /** An outside system was seen to have it. Version 1 did not say when, and knew no state but Nova's. */
  ServerDiscovered: revised(
    z.object({
      ...creationAttributes,
      condition: Condition,
      host: HostName.nullable(),
      nodeId: Uuid.nullable(),
      launchedAt: Timestamp.nullable(),
      source: text,
      observedAt: Timestamp.nullable(),
      unexpected: z.boolean(),
    }),
    (discovered) => ({ ...discovered, observedAt: null, unexpected: false }),
  ),
  ServerUpdated: z.object({ changes: ServerChanges }),
  /** The last event of a life. Names what may be left behind elsewhere; `ownPorts` were made for this server. */
  ServerDeleted: z.object({
    host: HostName.nullable(),
    nodeId: Uuid.nullable(),
    ports: z.array(Uuid),
    ownPorts: z.array(Uuid),
  }),

  /** The one event that changes vmState, taskState or powerState. */
  ServerStateChanged: z.object({
    from: Condition,
    to: Condition,
    /** The command that led here. */
    cause: text,
    /** The action it belongs to. */
    action: text.exactOptional(),
    reason: text.exactOptional(),
    fault: Fault.exactOptional(),
    /** Set where somebody ordered the state: nobody has looked whether the guest agrees. */
    forced: text.exactOptional(),
  }),
  /** The guest, or the attempt to build it, is on another host, or on none. */
  ServerMoved: z.object({
    from: HostName.nullable(),
    to: HostName.nullable(),
    nodeId: Uuid.nullable(),
    /** The bare-metal node it leaves. */
    leavesNode: Uuid.exactOptional(),
  }),
  /** A guest was started from its image, or on its new flavor; `at` where that was seen from outside, and earlier. */
  ServerLaunched: z.object({ host: HostName.nullable(), at: Timestamp.exactOptional() }),
  /** The worker has done its part; what is left are external events. */
  GuestReady: z.object({ powerState: PowerState.nullable(), host: HostName.nullable() }),
  /**
   * What an outside system says. `unexpected`: the rules would not have led there from the state before. `late`: it is of
   * a moment before what is known, history which changes nothing; version 1 took such news for new.
   */
  ServerObserved: revised(
    z.object({
      source: text,
      observedAt: Timestamp.nullable(),
      condition: Condition,
      fault: Fault.exactOptional(),
      unexpected: z.boolean(),
      late: z.boolean(),
    }),
    (observed) => ({ ...observed, late: false }),
  ),

  /** A host is sought from now on. A server that was PENDING is built in a further round. */
  BuildStarted: z.object({
    round: z.number().int().positive(),
    maxAttempts: z.number().int().positive(),
    deadline: Timestamp.nullable(),
  }),
  /** A host was chosen. `alternates` are those left to try; null where the scheduler named none. */
  BuildAttemptStarted: z.object({
    number: z.number().int().positive(),
    host: HostName,
    nodeId: Uuid.nullable(),
    alternates: z.array(HostName).nullable(),
  }),
  /** An attempt is over. One without a host is one for which the scheduler found none. */
  BuildAttemptEnded: z.object({
    number: z.number().int().positive(),
    host: HostName.nullable(),
    outcome: AttemptOutcome,
    reason: text.exactOptional(),
    fault: Fault.exactOptional(),
  }),

  /** An action was accepted. `endsIn` is the vm_state it leads to if it succeeds. */
  ServerActionStarted: z.object({
    action: text,
    arguments: z.record(z.string(), z.json()),
    before: Condition.extend({ host: HostName.nullable() }),
    endsIn: SeenVmState,
    /** Whose lock did not hold it up, since an administrator asked for it. */
    despiteLock: text.exactOptional(),
  }),
  /** A worker has taken it up, or has come to a step. */
  ServerActionProgressed: z.object({ action: text, worker: text, step: SeenTaskState.nullable() }),
  ServerActionEnded: z.object({
    action: text,
    /** `superseded`: something else took its place, and what it did until then is not known. */
    result: z.enum(['succeeded', 'failed', 'superseded']),
    /** Whether a failure left the server as it was before. */
    outcome: z.enum(['as-before', 'unknown']).exactOptional(),
    reason: text.exactOptional(),
    fault: Fault.exactOptional(),
  }),

  ExternalEventsAwaited: z.object({
    waits: z.array(Awaited.extend({ result: WaitResult.exactOptional() })),
    deadline: Timestamp,
    fatal: z.boolean(),
  }),
  ExternalEventReceived: z.object({
    name: ExternalEventName,
    tag: ExternalEventTag.exactOptional(),
    status: ExternalEventStatus,
    ...eventScope,
    /** The sender says that a failure may pass. */
    retryable: z.boolean().exactOptional(),
    verdict: z.enum(verdicts),
  }),
  /** These need not come after all. */
  ExternalEventsWaived: z.object({ waits: z.array(Awaited) }),
  ExternalEventsTimedOut: z.object({ waits: z.array(Awaited) }),

  /** No host has room. `attempt` counts how often that was so. */
  PendingStarted: z.object({
    reason: text,
    attempt: z.number().int().positive(),
    deadline: Timestamp.nullable(),
  }),
  /** Somebody makes room for it, and nobody else should until `expiresAt`. A renewal is recorded the same way. */
  PendingServerClaimed: z.object({ holder: text, expiresAt: Timestamp }),
  PendingClaimEnded: z.object({ holder: text, reason: z.enum(['released', 'expired']) }),

  PortAttached: z.object({ portId: Uuid, own: z.boolean() }),
  PortDetached: z.object({ portId: Uuid, cause: text }),
  ServerLocked: z.object({ by: text, reason: text.nullable() }),
  ServerUnlocked: z.object({}),
});

export type ServerEvent = EventOf<typeof serverEvents>;
export type DataOf<T extends ServerEvent['type']> = Extract<ServerEvent, { type: T }>['data'];
export type Awaited = z.infer<typeof Awaited>;
export type WaitResult = z.infer<typeof WaitResult>;
export type Verdict = (typeof verdicts)[number];
export type ExternalEvent = Omit<DataOf<'ExternalEventReceived'>, 'verdict'>;
