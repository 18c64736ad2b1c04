import { z } from 'zod';
import type { CommandOf } from '../kernel/commands.ts';
import { HostName } from '../kernel/resource.ts';
import { Entity, PortChanges, PortStatus, portAttributes } from './events.ts';

const Reason = z.string().min(1).max(1000);

export const portCommands = {
  /** Begins the port's life: DOWN, without blocks. The MAC address is derived from the id where none is given. */
  CreatePort: z.strictObject({
    name: portAttributes.name.default(''),
    projectId: portAttributes.projectId.default(''),
    networkId: portAttributes.networkId.default(null),
    macAddress: portAttributes.macAddress.optional(),
    fixedIps: portAttributes.fixedIps.default([]),
    deviceId: portAttributes.deviceId.default(''),
    deviceOwner: portAttributes.deviceOwner.default(''),
    adminStateUp: portAttributes.adminStateUp.default(true),
  }),

  /** Changes attributes; those left out, and those that have the value already, stay as they are. */
  UpdatePort: z.strictObject(PortChanges.shape),

  DeletePort: z.strictObject({}),

  /** The port waits for `entity` from now on. Neutron's `add_provisioning_component`. */
  AddProvisioningComponent: z.strictObject({
    entity: Entity,
    host: HostName.optional(),
    reason: Reason.default('requested'),
  }),

  /** `entity` need not report after all. Neutron's `remove_provisioning_component`. */
  RemoveProvisioningComponent: z.strictObject({ entity: Entity, reason: Reason.default('requested') }),

  /** `entity` has done its part. Neutron's `provisioning_complete`. */
  ProvisioningComplete: z.strictObject({ entity: Entity, host: HostName.optional() }),

  /** Sets the status from outside, as a driver does for ERROR or N/A. ACTIVE is refused while a block is left. */
  SetPortStatus: z.strictObject({ status: PortStatus, reason: Reason.optional() }),
};

export type PortCommands = typeof portCommands;
export type PortCommand = CommandOf<PortCommands>;
