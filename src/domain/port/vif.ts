import { z } from 'zod';
import { HostName, Uuid } from '../kernel/resource.ts';

/** How a port's interface reaches its guest. Neutron's words. */
export const vnicTypes = [
  'normal',
  'direct',
  'macvtap',
  'baremetal',
  'direct-physical',
  'virtio-forwarder',
  'smart-nic',
  'vdpa',
  'accelerator-direct',
  'accelerator-direct-physical',
  'remote-managed',
] as const;
export const VnicType = z.enum(vnicTypes);
export type VnicType = z.infer<typeof VnicType>;

/** How the interface is attached on its host: a driver's word, or one of the two that say that it is not. */
export const VifType = z.string().min(1).max(64);
export const unplugged: readonly string[] = ['unbound', 'binding_failed'];

/** OpenStack's own dictionaries. Their keys are OpenStack's as well, and pass through as they are. */
export const VifDetails = z.record(z.string().max(255), z.json());
export const Profile = z
  .record(z.string().max(255), z.json())
  .refine((profile) => JSON.stringify(profile).length <= 4095, 'must be at most 4095 characters of JSON');

/** What decides how a port is bound: Neutron's binding inputs. A change of any of them binds the port anew. */
export const BindingInputs = z.object({ host: HostName.nullable(), vnicType: VnicType, profile: Profile });
export type BindingInputs = z.infer<typeof BindingInputs>;

/** A level of a binding: the segment that `driver` has taken there. All but the last lead to another one. */
export const BoundSegment = z.object({
  level: z.number().int().nonnegative(),
  driver: z.string().max(64),
  id: Uuid,
  networkType: z.string().max(32),
  physicalNetwork: z.string().max(64).nullable(),
  segmentationId: z.number().int().nonnegative().nullable(),
  /** Made by a driver for this binding, rather than part of the network. */
  dynamic: z.boolean(),
});
export type BoundSegment = z.infer<typeof BoundSegment>;
