import { expect, test } from 'vitest';
import { sharedLedger } from '../api/support.ts';
import { describeWith, openstackClient } from '../support/external.ts';
import { sdk } from './clients.ts';
import { olga, siteFlags, workerToken } from './site.ts';

describeWith(openstackClient, "a program works with Debian's openstacksdk", () => {
  const shared = sharedLedger(siteFlags);
  const play = (script: string) =>
    sdk(script, olga(shared().url), { STACKLEDGER_URL: shared().url, WORKER_TOKEN: workerToken });
  const patience = { timeout: 240_000 };

  test('on a network and what is on it', patience, async () => {
    expect(await play('network')).toEqual({
      network: ['blue'],
      subnet: '10.1.0.0/24',
      ports: [['eth0', 'DOWN']],
      bound: ['compute-1', expect.any(String)],
      agents: [['Open vSwitch agent', 'compute-1', true]],
      paged: true,
      port_after: null,
      networks_after: [],
    });
  });

  test('on servers, of which one waits for capacity: PENDING from 2.94 on, ERROR before', patience, async () => {
    const before = { status: 'ERROR', vm_state: 'error', fault: 500, found_as: ['ERROR'] };
    expect(await play('servers')).toEqual({
      waits: {
        '2.94': { status: 'PENDING', vm_state: 'pending', fault: null, found_as: ['PENDING'] },
        '2.93': before,
        '2.1': before,
      },
      runs: 'ACTIVE',
      busy: expect.stringContaining("Cannot 'stop' instance"),
      rebuilding: ['REBUILD', 'debian'],
      reset: 'ERROR',
      reset_back: 'ACTIVE',
      actions: ['create', 'reboot', 'rebuild', 'resetState', 'resetState'],
      left: [],
    });
  });

  test('on a node from its enrolment to an instance and back', patience, async () => {
    expect(await play('nodes')).toEqual({
      states: [
        ...['enroll', 'verifying', 'manageable', 'cleaning', 'available'],
        ...['deploying', 'active', 'deleting', 'available'],
      ],
      refused: 400,
      maintenance: [true, 'a fan'],
      extra: { rack: 3 },
      listed: ['rack-2-01'],
      missing: null,
      left: [],
    });
  });
});
