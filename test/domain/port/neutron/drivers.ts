import { mechanismDrivers } from '../../../../src/domain/port/drivers/configured.ts';
import {
  type MechanismDriver,
  type OfferedSegment,
  refused,
  type Verdict,
} from '../../../../src/domain/port/drivers/mechanism-driver.ts';
import { vnicTypes } from '../../../../src/domain/port/vif.ts';
import type { Scenario, ScriptedDriver } from './vectors.ts';

const agentless = { vnicTypes, connectivity: 'l2', agentType: null, reporter: 'nobody' } as const;

/** A segment a driver makes for one binding. The same wish always leads to the same segment, as in Neutron. */
function dynamicSegment(networkType: string, physicalNetwork: string | null): OfferedSegment {
  const number = ['vlan', 'vxlan', 'flat'].indexOf(networkType) + 1;
  const id = `dddddddd-dddd-4ddd-8ddd-${String(number).padStart(12, '0')}`;
  return { id, networkType, physicalNetwork, segmentationId: null, dynamic: true };
}

/** Does what its script says for the first segment offered whose network type is in it. */
const scripted = ({ name, connectivity = 'l2', on }: ScriptedDriver): MechanismDriver => ({
  ...agentless,
  name,
  connectivity,
  bind({ segments }): Verdict {
    const segment = segments.find(({ networkType }) => networkType in on);
    if (!segment) return refused('no-segment', 'nothing in the script');
    const { action, vifType = 'ovs', status, next, sameSegment } = on[segment.networkType]!;
    if (action === 'raise') throw new Error('raised by the script');
    if (action === 'set') return { verdict: 'bound', segment, vifType, vifDetails: {}, ...(status && { status }) };
    const following = sameSegment ? segment : dynamicSegment(next!.type, next!.physnet ?? null);
    return { verdict: 'continue', segment, next: [following] };
  },
});

/** Neutron's test driver: the name of the host, up to a dot, says what is to happen. */
const byHostName: MechanismDriver = {
  ...agentless,
  name: 'test',
  bind({ host: fullName, segments }): Verdict {
    const host = fullName.split('.')[0];
    const segment = segments[0]!;
    const bound = { verdict: 'bound', segment, vifType: 'ovs' } as const;
    if (host === 'host-ovs-no_filter') return { ...bound, vifDetails: { port_filter: false } };
    if (host === 'host-bridge-filter') return { ...bound, vifType: 'bridge', vifDetails: { port_filter: true } };
    if (host === 'host-ovs-filter-active') return { ...bound, vifDetails: { port_filter: true }, status: 'ACTIVE' };
    if (host !== 'host-hierarchical') return refused('not-mine', `no script for ${host}`);
    if (segment.networkType === 'vlan') return { ...bound, vifDetails: { port_filter: false } };
    return { verdict: 'continue', segment, next: [dynamicSegment('vlan', 'physnet1')] };
  },
};

/** What another worker binds with, so that its result can be told apart. */
export const otherWorker: MechanismDriver = {
  ...agentless,
  name: 'other',
  bind: ({ segments }) => ({
    verdict: 'bound',
    segment: segments[0]!,
    vifType: 'ovs',
    vifDetails: { winner: 'other' },
  }),
};

/** `logger` only writes to a log. */
const namesOf = ({ setup }: Scenario): string[] =>
  (setup.mechanismDrivers ?? ['openvswitch']).filter((name) => name !== 'logger');

/** The ledger's own drivers by their names, where the scenario has no others. */
export function ownDriversFor(scenario: Scenario): string[] | null {
  const names = namesOf(scenario);
  return scenario.setup.scriptedDrivers || names.includes(byHostName.name) ? null : names;
}

export const driversFor = (scenario: Scenario): MechanismDriver[] => [
  ...namesOf(scenario).map((name) => [...mechanismDrivers, byHostName].find((driver) => driver.name === name)!),
  ...(scenario.setup.scriptedDrivers ?? []).map(scripted),
];

/** A driver that knows no hosts but those in one domain. */
export const within = (domain: string, driver: MechanismDriver): MechanismDriver => ({
  ...driver,
  bind: (request) => (request.host.endsWith(domain) ? driver.bind(request) : refused('not-mine', `not in ${domain}`)),
});
