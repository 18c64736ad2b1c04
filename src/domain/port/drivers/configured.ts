import { linuxBridge } from './linux-bridge.ts';
import { macvtap } from './macvtap.ts';
import type { MechanismDriver } from './mechanism-driver.ts';
import { openvswitch } from './openvswitch.ts';
import { ovn } from './ovn.ts';
import { sriov } from './sriov.ts';
import { unmanaged } from './unmanaged.ts';

/** The drivers that come with the ledger. */
export const mechanismDrivers: readonly MechanismDriver[] = [openvswitch, sriov, macvtap, linuxBridge, ovn, unmanaged];

/** Asked in this order where the site says nothing: whatever agents its hosts run, and ports of unknown networks. */
export const defaultMechanismDrivers: readonly MechanismDriver[] = [
  openvswitch,
  sriov,
  macvtap,
  linuxBridge,
  unmanaged,
];

export interface PortSettings {
  /** The drivers to ask, in this order: one of the ledger's own by its name, or one of the site's. */
  readonly mechanismDrivers?: readonly (string | MechanismDriver)[];
}

const resolved = new WeakMap<object, readonly MechanismDriver[]>();

/** @throws Error for a name that no driver has */
export function driversOf({ mechanismDrivers: given }: PortSettings): readonly MechanismDriver[] {
  if (!given) return defaultMechanismDrivers;
  const known = resolved.get(given);
  if (known) return known;
  const drivers = given.map((driver) => (typeof driver === 'string' ? driverNamed(driver) : driver));
  resolved.set(given, drivers);
  return drivers;
}

function driverNamed(name: string): MechanismDriver {
  const driver = mechanismDrivers.find((known) => known.name === name);
  if (driver) return driver;
  throw new Error(`no mechanism driver ${name}; there are ${mechanismDrivers.map((known) => known.name).join(', ')}`);
}
