import { z } from 'zod';
import type { CommandOf } from '../kernel/commands.ts';
import { origin } from '../kernel/observation.ts';
import { HostName } from '../kernel/resource.ts';
import {
  BindingCause,
  Entity,
  Migration,
  migrationOutcomes,
  PortChanges,
  PortStatus,
  portAttributes,
  RefusedNotification,
  SeenStatus,
} from './events.ts';
import { Profile, VifDetails, VifType, VnicType } from './vif.ts';

const Reason = z.string().min(1).max(1000);

/** A profile of null is an empty one, as in Neutron. */
const GivenProfile = Profile.nullable().transform((profile) => profile ?? {});

const binding = { vnicType: VnicType.optional(), profile: GivenProfile.optional() };

/** Who reports. Without a host the report is taken on trust. */
const reporter = { host: HostName.optional() };

export const portCommands = {
  /** Begins the port's life: DOWN, and bound where it is given a host. The MAC address follows from the id if not given. */
  CreatePort: z.strictObject({
    name: portAttributes.name.default(''),
    projectId: portAttributes.projectId.default(''),
    networkId: portAttributes.networkId.default(null),
    macAddress: portAttributes.macAddress.optional(),
    fixedIps: portAttributes.fixedIps.default([]),
    deviceId: portAttributes.deviceId.default(''),
    deviceOwner: portAttributes.deviceOwner.default(''),
    adminStateUp: portAttributes.adminStateUp.default(true),
    host: HostName.nullable().default(null),
    vnicType: VnicType.default('normal'),
    profile: GivenProfile.default({}),
  }),

  /**
   * Changes what is given and differs. Another host, vnic type or profile binds the port anew; a port that has a host and
   * is not bound there is tried again, whatever is changed.
   */
  UpdatePort: z.strictObject({ ...PortChanges.shape, host: HostName.nullable().optional(), ...binding }),

  DeletePort: z.strictObject({}),

  /** Binds the port to a host, or tries again where that failed. */
  BindPort: z.strictObject({ host: HostName, ...binding }),

  /** The port is nowhere from now on. */
  UnbindPort: z.strictObject({}),

  /** Prepares a binding on another host, INACTIVE, for a migration. */
  AddBinding: z.strictObject({ host: HostName, ...binding, migration: Migration.optional() }),

  /** The binding on `host` takes over; the one that was ACTIVE is INACTIVE from then on. */
  ActivateBinding: z.strictObject({ host: HostName }),

  /** Removes an INACTIVE binding. One that a migration in progress needs is removed by that migration only. */
  RemoveBinding: z.strictObject({
    host: HostName,
    migration: Migration.optional(),
    reason: Reason.default('requested'),
  }),

  /** A migration is over: the bindings it has not used are left over, and anybody may remove them. */
  ReportMigrationEnded: z.strictObject({
    migration: Migration,
    outcome: z.enum(migrationOutcomes),
    reason: Reason.optional(),
  }),

  /** The port waits for `entity` from now on. Neutron's `add_provisioning_component`. */
  AddProvisioningComponent: z.strictObject({
    entity: Entity,
    host: HostName.optional(),
    reason: Reason.default('requested'),
  }),

  /** `entity` need not report after all. Neutron's `remove_provisioning_component`. */
  RemoveProvisioningComponent: z.strictObject({ entity: Entity, reason: Reason.default('requested') }),

  /** `entity` has done its part. Neutron's `provisioning_complete`. */
  ProvisioningComplete: z.strictObject({ entity: Entity, ...reporter }),

  /** The host's agent asks how to wire the port: it is bound if need be, and at work from now on. */
  RequestDeviceDetails: z.strictObject(reporter),

  /** The host has wired the port. */
  ReportDeviceUp: z.strictObject(reporter),

  /** The port is not wired on the host any more. */
  ReportDeviceDown: z.strictObject(reporter),

  /** The DHCP server knows the port's addresses. */
  ReportDhcpReady: z.strictObject(reporter),

  /** Sets the status from outside, as a driver does for ERROR or N/A. ACTIVE is refused where a guard stands against it. */
  SetPortStatus: z.strictObject({
    status: PortStatus,
    reason: Reason.optional(),
    /** An ERROR that may pass by itself: nobody is told that plugging has failed. */
    retryable: z.boolean().default(false),
  }),

  /** What an outside system says the port is. Accepted in every state; a port that is unknown begins its life by it. */
  ObservePort: z.strictObject({
    ...origin,
    status: SeenStatus,
    deleted: z.boolean().default(false),
    ...PortChanges.shape,
    projectId: portAttributes.projectId.optional(),
    networkId: portAttributes.networkId.optional(),
    host: HostName.nullable().optional(),
    ...binding,
    vifType: VifType.optional(),
    vifDetails: VifDetails.optional(),
  }),

  /** Tells Nova once more what it refused last, when it has learnt of the server. Nothing is told where nothing was refused. */
  RepeatNotification: z.strictObject({}),

  /** The ledger's own: Nova was told something of the port, and gave this answer. */
  RecordRefusedNotification: z.strictObject(RefusedNotification.shape),

  /** The ledger's own: something the port depends on has changed. */
  ReconsiderPort: z.strictObject({ cause: BindingCause }),
};

export type PortCommands = typeof portCommands;
export type PortCommand = CommandOf<PortCommands>;
