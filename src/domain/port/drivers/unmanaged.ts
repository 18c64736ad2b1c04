import { vnicTypes } from '../vif.ts';
import { type MechanismDriver, refused } from './mechanism-driver.ts';

/**
 * For ports whose network this ledger knows nothing about: they are where they are said to be, and whoever wires them
 * says so as a provisioning component. A network that has segments is for the drivers that can tell whether a host
 * reaches them.
 */
export const unmanaged: MechanismDriver = {
  name: 'unmanaged',
  agentType: null,
  reporter: 'nobody',
  connectivity: 'l2',
  vnicTypes,
  withoutSegments: true,

  bind: ({ segments }) =>
    segments.length > 0
      ? refused('not-mine', 'it binds ports of networks without segments only')
      : { verdict: 'bound', segment: null, vifType: 'other', vifDetails: {} },
};
