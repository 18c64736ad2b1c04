import { z } from 'zod';
import { defineEvents, type EventOf, revised } from '../kernel/events.ts';
import { orForeign, origin } from '../kernel/observation.ts';
import { HostName, Timestamp, Uuid } from '../kernel/resource.ts';
import { refusedBecause } from './drivers/mechanism-driver.ts';
import { BindingInputs, BoundSegment, VifDetails, VifType } from './vif.ts';

export const portStatuses = ['DOWN', 'BUILD', 'ACTIVE', 'ERROR', 'N/A'] as const;
export const PortStatus = z.enum(portStatuses);
/** As an outside system says it. */
export const SeenStatus = orForeign(PortStatus);

/** Neutron's word for who must report: `L2`, `DHCP`, or any other string an integrator uses. Compared exactly. */
export const Entity = z.string().max(255);

/** The two that Neutron itself waits for. */
export const l2 = 'L2';
export const dhcp = 'DHCP';

export const FixedIp = z.object({ subnetId: Uuid, ipAddress: z.union([z.ipv4(), z.ipv6()]) });

/** What a port is, apart from what happens to it. */
export const portAttributes = {
  name: z.string().max(255),
  projectId: z.string().max(255),
  networkId: Uuid.nullable(),
  macAddress: z.string().regex(/^([0-9a-f]{2}:){5}[0-9a-f]{2}$/, 'must be a MAC address such as fa:16:3e:00:00:01'),
  fixedIps: z.array(FixedIp).max(64),
  deviceId: z.string().max(255),
  deviceOwner: z.string().max(255),
  adminStateUp: z.boolean(),
};

const { networkId: _, projectId: __, ...changeable } = portAttributes;
export const PortChanges = z.object(changeable).partial();

/** Why a status changed. */
const statusCauses = [
  'provisioned', // the last block was lifted
  'blocked-again', // somebody must report who need not before
  'admin-state-up',
  'admin-state-down', // and no agent is there to take it down
  'bound', // everything else was done before
  'binding-changed', // another host, vnic type or profile
  'unbound',
  'binding-activated', // the other host's binding has taken over
  'wiring-requested', // the host's agent asked how to wire it
  'device-down', // the host's agent took it down
  'driver', // the mechanism driver said so
  'set', // somebody set it
  'observed', // an outside system says so
] as const;

const Reason = z.string().max(1000);
const Generation = z.number().int().nonnegative();

/** The binding it is about, where there is one: whoever waits for another one is not misled. */
const aboutBinding = { host: HostName.optional(), generation: Generation.optional() };

/** What a binding was decided on: each driver's answer in the order asked, and the agents it saw. */
const evidence = {
  tried: z.array(
    z.object({
      driver: z.string().max(64),
      level: z.number().int().nonnegative(),
      outcome: z.enum(['bound', 'continued', ...refusedBecause]),
      reason: z.string().max(2000).optional(),
    }),
  ),
  agents: z.array(
    z.object({ type: z.string().max(255), alive: z.boolean(), adminStateUp: z.boolean(), silentSince: Timestamp }),
  ),
};

const attachment = {
  driver: z.string().max(64).nullable(),
  vifType: VifType,
  vifDetails: VifDetails,
  segments: z.array(BoundSegment),
};

/** Who asked for a binding to be tried. */
const bindingCauses = [
  'requested',
  'retried',
  'agent-asked',
  'agent-back',
  'agent-registered',
  'agent-gone',
  'network-changed',
  'observed',
] as const;
export const BindingCause = z.enum(bindingCauses);

export const reports = ['device-up', 'device-down', 'device-details', 'complete'] as const;

/** What Nova was told of the port. `status` is absent where Neutron sends none. */
const notification = { server: Uuid, name: z.string().min(1).max(64), status: z.string().min(1).max(64).optional() };

/** What Nova was told and refused, and the answer. `code`: null where it said nothing of it. */
export const RefusedNotification = z.object({
  ...notification,
  /** The event of the port that said so. */
  revision: z.number().int().nonnegative(),
  code: z.number().int().nullable(),
  detail: z.string().max(1000),
  /** How often it was sent. */
  attempts: z.number().int().positive(),
});

export const Migration = z.string().min(1).max(255);
export const migrationOutcomes = ['completed', 'failed', 'cancelled'] as const;

// What can happen to a port. These names are the storage format.
export const portEvents = defineEvents('port', {
  PortCreated: z.object(portAttributes),
  PortUpdated: z.object({ changes: PortChanges }),
  PortDeleted: z.object({}),

  /** An entity must report before the port can be ACTIVE. */
  ProvisioningComponentAdded: revised(
    z.object({ entity: Entity, host: HostName.optional(), reason: Reason }),
    (data) => ({ ...data, reason: 'requested' }), // version 1 did not say why
  ),
  /** The entity need not report after all. */
  ProvisioningComponentRemoved: z.object({ entity: Entity, reason: Reason }),
  /** The entity has reported. `early`: it was not asked to, so it lifted no block. */
  ProvisioningComponentCompleted: z.object({ entity: Entity, host: HostName.optional(), early: z.boolean() }),
  /** An entity that often must report need not, and why. */
  ProvisioningComponentNotNeeded: z.object({ entity: Entity, reason: Reason }),
  /** Neutron's PROVISIONING_COMPLETE: no block is left. `entity` is the one that completed last. */
  PortProvisioned: z.object({ entity: Entity }),

  PortStatusChanged: z.object({
    from: SeenStatus,
    to: SeenStatus,
    cause: z.enum(statusCauses),
    reason: Reason.optional(),
    /** An ERROR that may pass by itself. */
    retryable: z.boolean().optional(),
    ...aboutBinding,
  }),

  /** The port is to be bound with these inputs; what was bound before is not any more. */
  BindingRequested: BindingInputs.extend({ generation: Generation }),
  PortUnbound: z.object({ host: HostName, generation: Generation }),
  PortBound: z.object({ host: HostName, ...attachment, ...evidence, cause: BindingCause }),
  /** No driver could bind the port. `segments`: those a driver had taken when it gave up. */
  PortBindingFailed: z.object({
    host: HostName,
    segments: z.array(BoundSegment),
    ...evidence,
    cause: BindingCause,
  }),

  /** A binding on another host, for a migration to it. It is INACTIVE until it is activated. */
  BindingAdded: BindingInputs.extend({
    host: HostName,
    ...attachment,
    ...evidence,
    generation: Generation,
    migration: Migration.nullable(),
  }),
  /** The binding on `host` has taken over from the one on `from`, which is INACTIVE now. */
  BindingActivated: z.object({ host: HostName, from: HostName.nullable(), generation: Generation }),
  BindingRemoved: z.object({ host: HostName, reason: Reason }),
  /** Whatever bindings it has left are left over. */
  MigrationEnded: z.object({ migration: Migration, outcome: z.enum(migrationOutcomes), reason: Reason.optional() }),

  /**
   * What an outside system says. `unexpected`: the rules would not have led there from the state before. `late`: it is of
   * a moment before what is known, history which changes nothing; version 1 did not record these.
   */
  PortObserved: revised(
    z.object({
      source: origin.source,
      observedAt: Timestamp.nullable(),
      status: SeenStatus,
      deleted: z.boolean(),
      unexpected: z.boolean(),
      late: z.boolean(),
    }),
    (observed) => ({ ...observed, late: false }),
  ),

  /**
   * A host has wired the port that is not ACTIVE there: it has an INACTIVE binding, whose generation is given, or is bound
   * to no host yet. The report of the host it is bound to is a completion of L2.
   */
  DeviceUpReported: z.object({ host: HostName, generation: Generation.optional() }),
  /** The host has taken the port down. */
  DeviceDownReported: z.object({ host: HostName.optional() }),
  /** The host's agent has asked how to wire the port: it is at work. */
  DeviceDetailsRequested: z.object({ host: HostName }),
  /** A report from a host whose word does not count here. Once a host, kind of report and binding. */
  ReportIgnored: z.object({
    report: z.enum(reports),
    host: HostName,
    entity: Entity.optional(),
    reason: Reason,
  }),

  /** Nova was told and does not want to know: nobody tells it again unasked. */
  NotificationRefused: RefusedNotification,
  /** What it refused last is told once more. */
  NotificationRepeated: z.object(notification),
});

export type PortEvent = EventOf<typeof portEvents>;
export type PortStatus = z.infer<typeof SeenStatus>;
export type PortChanges = z.infer<typeof PortChanges>;
export type StatusCause = (typeof statusCauses)[number];
export type BindingCause = z.infer<typeof BindingCause>;
export type DataOf<T extends PortEvent['type']> = Extract<PortEvent, { type: T }>['data'];
export type Evidence = Pick<DataOf<'PortBindingFailed'>, 'tried' | 'agents'>;
