import { z } from 'zod';
import { defineEvents, type EventOf, revised } from '../kernel/events.ts';
import { HostName, Uuid } from '../kernel/resource.ts';

export const portStatuses = ['DOWN', 'BUILD', 'ACTIVE', 'ERROR', 'N/A'] as const;
export const PortStatus = z.enum(portStatuses);

/** Neutron's word for who must report: `L2`, `DHCP`, or any other string an integrator uses. Compared exactly. */
export const Entity = z.string().max(255);

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

export const statusCauses = ['provisioned', 'blocked-again', 'admin-state-up', 'set'] as const;

// What can happen to a port. These names are the storage format.
export const portEvents = defineEvents('port', {
  PortCreated: z.object(portAttributes),
  PortUpdated: z.object({ changes: PortChanges }),
  PortDeleted: z.object({}),

  /** An entity must report before the port can be ACTIVE. */
  ProvisioningComponentAdded: revised(
    z.object({ entity: Entity, host: HostName.optional(), reason: z.string().max(1000) }),
    (data) => ({ ...data, reason: 'requested' }), // version 1 did not say why
  ),
  /** The entity need not report after all. */
  ProvisioningComponentRemoved: z.object({ entity: Entity, reason: z.string().max(1000) }),
  /** The entity has reported. `early`: before it was asked to, so it lifted no block. */
  ProvisioningComponentCompleted: z.object({ entity: Entity, host: HostName.optional(), early: z.boolean() }),
  /** Neutron's PROVISIONING_COMPLETE: no block is left. `entity` is the one that completed last. */
  PortProvisioned: z.object({ entity: Entity }),

  PortStatusChanged: z.object({
    from: PortStatus,
    to: PortStatus,
    cause: z.enum(statusCauses),
    reason: z.string().max(1000).optional(),
  }),
});

export type PortEvent = EventOf<typeof portEvents>;
export type PortStatus = z.infer<typeof PortStatus>;
export type PortChanges = z.infer<typeof PortChanges>;
