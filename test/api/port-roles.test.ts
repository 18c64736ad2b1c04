import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { type Role, roles } from '../../src/api/access/roles.ts';
import { hashToken } from '../../src/api/access/tokens.ts';
import { publicCommands } from '../../src/api/schemas/command-schemas.ts';
import { aggregates } from '../../src/domain/aggregates.ts';
import { nthId } from '../support/ledger.ts';
import { sharedLedger, slugOf } from './support.ts';

type Row = [type: string, least: Role, data?: object];

const host = 'compute-1';
const subnet = { id: nthId(7), cidr: '10.0.0.0/24' };

/** The least role that may give each command, in an order in which most of them have something to do. */
const rows: { port: Row[]; agent: Row[]; network: Row[] } = {
  agent: [
    ['RegisterAgent', 'agent'],
    ['Heartbeat', 'agent'],
    ['SetAgentAdminState', 'admin', { adminStateUp: false }],
    ['DeleteAgent', 'admin'],
  ],
  network: [
    ['CreateNetwork', 'operator'],
    ['UpdateNetwork', 'operator', { name: 'blue' }],
    ['AddSegment', 'operator', { networkType: 'local' }],
    ['AddSubnet', 'operator', subnet],
    ['UpdateSubnet', 'operator', { id: subnet.id, enableDhcp: false }],
    ['ScheduleDhcpAgent', 'operator', { host: 'network-1' }],
    ['UnscheduleDhcpAgent', 'operator', { host: 'network-1' }],
    ['DeleteNetwork', 'operator'],
  ],
  port: [
    ['CreatePort', 'operator', { deviceOwner: 'compute:nova', deviceId: nthId(3) }],
    ['UpdatePort', 'operator', { name: 'eth0' }],
    ['BindPort', 'operator', { host }],
    ['AddProvisioningComponent', 'operator', { entity: 'storage' }],
    ['RemoveProvisioningComponent', 'operator', { entity: 'storage' }],
    ['ProvisioningComplete', 'agent', { entity: 'wiring' }],
    ['RequestDeviceDetails', 'agent', { host }],
    ['ReportDeviceUp', 'agent', { host }],
    ['ReportDeviceDown', 'agent', { host }],
    ['ReportDhcpReady', 'agent'],
    ['AddBinding', 'operator', { host: 'compute-2' }],
    ['ActivateBinding', 'operator', { host: 'compute-2' }],
    ['RemoveBinding', 'operator', { host: 'compute-1' }],
    ['ReportMigrationEnded', 'agent', { migration: 'm-1', outcome: 'completed' }],
    ['SetPortStatus', 'admin', { status: 'ERROR' }],
    ['ObservePort', 'agent', { source: 'neutron', status: 'DOWN' }],
    ['RepeatNotification', 'operator'],
    ['UnbindPort', 'operator'],
    ['DeletePort', 'operator'],
  ],
};

const ids = { port: nthId(1), agent: `${host}:Open vSwitch agent`, network: nthId(2) };

function tokensFile(): string {
  const file = join(mkdtempSync(join(tmpdir(), 'stackledger-')), 'tokens.json');
  const tokens = roles.map((role) => ({ name: role, sha256: hashToken(role), roles: [role] }));
  writeFileSync(file, JSON.stringify({ tokens }));
  return file;
}

describe('who may do what to ports, agents and networks', () => {
  const shared = sharedLedger(['--tokens-file', tokensFile()], async ({ post }) => {
    const dhcpAgent = '/v1/agents/network-1:DHCP%20agent/commands';
    await post(dhcpAgent, { type: 'RegisterAgent', data: {} }, { authorization: 'Bearer agent' });
  });

  test.each(['port', 'agent', 'network'] as const)('is said of every command of a %s', (kind) => {
    expect(rows[kind].map(([type]) => type).sort()).toEqual(publicCommands(aggregates[kind]).sort());
  });

  const all = (['agent', 'network', 'port'] as const).flatMap((kind) =>
    rows[kind].map(([type, least, data = {}]) => ({ kind, type, least, data })),
  );

  test.each(all)('$kind: $type needs the role $least', async ({ kind, type, least, data }) => {
    const path = `/v1/${kind}s/${encodeURIComponent(ids[kind])}/commands`;
    const giveAs = (role: Role) => shared().post(path, { type, data }, { authorization: `Bearer ${role}` });
    for (const role of roles.slice(0, roles.indexOf(least))) {
      const refused = await giveAs(role);
      expect([refused.status, slugOf(refused)], role).toEqual([403, 'role-missing']);
    }
    for (const role of roles.slice(roles.indexOf(least))) expect((await giveAs(role)).status, role).toBe(200);
  });
});
