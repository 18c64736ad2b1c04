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
  readonly mechanismDrivers?: readonly MechanismDriver[];
}

export const driversOf = ({ mechanismDrivers = defaultMechanismDrivers }: PortSettings): readonly MechanismDriver[] =>
  mechanismDrivers;
