import { sameJson } from '../kernel/json.ts';
import type { PortChanges } from './events.ts';
import type { Port } from './state.ts';

/** The attributes whose value would change. */
export function changesOf(port: Port, given: object): PortChanges {
  const current = port as unknown as Record<string, unknown>;
  return Object.fromEntries(Object.entries(given).filter(([name, value]) => !sameJson(current[name], value)));
}

/** Neutron's default prefix and the last six digits of the id. */
export const macAddressOf = (portId: string): string => `fa:16:3e:${portId.slice(-6).match(/../g)!.join(':')}`;
