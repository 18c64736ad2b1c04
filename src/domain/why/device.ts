import type { ResourceRef } from '../kernel/resource.ts';
import type { Port } from '../port/state.ts';
import { ref } from './world.ts';

const owners: readonly (readonly [prefix: string, kind: 'server' | 'node'])[] = [
  ['compute:', 'server'],
  ['baremetal:', 'node'],
];

/** What the port belongs to, by the owner that Nova and Ironic write into it. */
export function deviceOf({ deviceId, deviceOwner }: Port): (ResourceRef & { kind: 'server' | 'node' }) | null {
  const owner = owners.find(([prefix]) => deviceOwner.startsWith(prefix));
  return owner && deviceId !== '' ? ref(owner[1], deviceId) : null;
}
