import { describe } from 'vitest';
import type { Related } from '../../../src/domain/kernel/aggregate.ts';
import { networkAggregate } from '../../../src/domain/network/index.ts';
import { story } from '../../support/story.ts';

const subnetId = '22222222-2222-4222-8222-222222222222';
const segmentId = '33333333-3333-4333-8333-333333333333';
const created = { type: 'CreateNetwork', data: { name: 'blue' } };

/** A site where `host-a` alone runs a DHCP agent. */
const site: Related = {
  stateOf: ({ id }) => (id === 'host-a:DHCP agent' ? { id, revision: 0 } : null),
  heardAt: () => null,
};

describe('a network', () => {
  story('is created once, with its segments', networkAggregate, [], (it) =>
    it
      .when('CreateNetwork', {
        name: 'blue',
        segments: [{ networkType: 'vlan', physicalNetwork: 'p1', segmentationId: 7 }],
      })
      .events('NetworkCreated', 'SegmentAdded')
      .state({
        name: 'blue',
        segments: [
          { id: '11111111-1111-1111-1111-111111111112', networkType: 'vlan', physicalNetwork: 'p1', segmentationId: 7 },
        ],
        subnets: [],
        dhcpAgents: [],
      })
      .when('CreateNetwork', { name: 'blue' })
      .events()
      .when('CreateNetwork', { name: 'green' })
      .refused('network-exists')
      .when('DeleteNetwork')
      .events('NetworkDeleted')
      .when('DeleteNetwork')
      .events()
      .when('AddSegment', { networkType: 'local' })
      .refused('network-deleted'),
  );

  story('keeps its segments in the order in which ports are offered to them', networkAggregate, [created], (it) =>
    it
      .when('AddSegment', { id: segmentId, networkType: 'vxlan', segmentationId: 5000 })
      .events('SegmentAdded')
      .when('AddSegment', { networkType: 'vxlan', segmentationId: 5000 })
      .events()
      .when('AddSegment', { id: segmentId, networkType: 'gre', segmentationId: 5000 })
      .refused('segment-exists')
      .when('AddSegment', { networkType: 'flat', physicalNetwork: 'p1' })
      .state({ segments: [{ networkType: 'vxlan' }, { networkType: 'flat', segmentationId: null }] }),
  );

  story('has subnets, of which DHCP serves those that want it', networkAggregate, [created], (it) =>
    it
      .when('AddSubnet', { id: subnetId, cidr: '10.0.0.0/24' })
      .leadsTo({
        type: 'SubnetAdded',
        data: { id: subnetId, name: '', cidr: '10.0.0.0/24', enableDhcp: true, segmentId: null },
      })
      .when('AddSubnet', { cidr: '10.0.0.0/24' })
      .events()
      .when('AddSubnet', { cidr: '10.0.0.0/24', enableDhcp: false })
      .refused('subnet-exists')
      .when('AddSubnet', { cidr: 'fd00::/64', segmentId })
      .refused('segment-not-found')
      .when('UpdateSubnet', { id: subnetId, enableDhcp: false })
      .leadsTo({ type: 'SubnetUpdated', data: { id: subnetId, changes: { enableDhcp: false } } })
      .when('UpdateSubnet', { id: subnetId, enableDhcp: false })
      .events()
      .when('UpdateSubnet', { id: subnetId, name: 'front' })
      .leadsTo({ type: 'SubnetUpdated', data: { id: subnetId, changes: { name: 'front' } } })
      .when('UpdateNetwork', { name: 'green' })
      .leadsTo({ type: 'NetworkUpdated', data: { changes: { name: 'green' } } })
      .state({ name: 'green' })
      .when('UpdateNetwork', { name: 'green' })
      .events()
      .when('UpdateSubnet', { id: segmentId, enableDhcp: false })
      .refused('subnet-not-found'),
  );
});

describe('a network and the DHCP agents that serve it', () => {
  story('are brought together and parted', networkAggregate, [created], (it) =>
    it
      .knowing({ related: site })
      .when('ScheduleDhcpAgent', { host: 'host-b' })
      .refused('dhcp-agent-not-found')
      .when('ScheduleDhcpAgent', { host: 'host-a' })
      .leadsTo({ type: 'DhcpAgentScheduled', data: { host: 'host-a' } })
      .state({ dhcpAgents: [{ host: 'host-a' }] })
      .when('ScheduleDhcpAgent', { host: 'host-a' })
      .events()
      .when('UnscheduleDhcpAgent', { host: 'host-a', reason: 'maintenance' })
      .leadsTo({ type: 'DhcpAgentUnscheduled', data: { host: 'host-a', reason: 'maintenance' } })
      .when('UnscheduleDhcpAgent', { host: 'host-a' })
      .events()
      .state({ dhcpAgents: [] }),
  );
});
