import { describe, expect, test } from 'vitest';
import { nodeAggregate } from '../../../src/domain/node/index.ts';
import { Resource, story } from '../../support/story.ts';
import { active, available, command, enrolled, manageable, reports, verb } from './lives.ts';

describe('a node, from enrolment to its second user', () => {
  test('goes all the way by commands, and each transition says where from, where to and why', () => {
    const node = new Resource(nodeAggregate);
    const life = [
      ...available,
      command('UpdateNode', { instanceId: 'aaaaaaaa-0000-4000-8000-000000000001' }),
      verb('active', { configdrive: 'a drive', deploySteps: [{ interface: 'raid', step: 'create', priority: 90 }] }),
      reports('step', { step: { interface: 'deploy', name: 'deploy', priority: 100 } }),
      reports('wait'),
      reports('resume'),
      reports('done', { powerState: 'power on' }),
      verb('undeploy'),
      reports('clean'),
      reports('wait'),
      reports('resume'),
      reports('done'),
    ];
    const events = life.flatMap(({ type, data }) => node.execute(type, data));
    const transitions = events.filter((event) => event.type === 'NodeProvisionStateChanged');

    expect(transitions.map(({ data }) => Object.values(data).slice(0, 7).join(' | '))).toEqual([
      'manage | enroll | verifying |  | manageable | command | start',
      'done | verifying | manageable | manageable |  | worker | end',
      'provide | manageable | cleaning |  | available | command | start',
      'done | cleaning | available | available |  | worker | end',
      'deploy | available | deploying |  | active | command | start',
      'wait | deploying | wait call-back | active | active | worker | success',
      'resume | wait call-back | deploying | active | active | worker | success',
      'done | deploying | active | active |  | worker | end',
      'delete | active | deleting |  | available | command | start',
      'clean | deleting | cleaning | available | available | worker | success',
      'wait | cleaning | clean wait | available | available | worker | success',
      'resume | clean wait | cleaning | available | available | worker | success',
      'done | cleaning | available | available |  | worker | end',
    ]);
    expect(node.view).toMatchObject({
      driver: 'ipmi',
      provisionState: 'available',
      targetProvisionState: null,
      reservation: null,
      instanceId: null,
      step: null,
      powerState: 'power on',
      lastError: null,
      allowed: ['active', 'deploy', 'manage'],
      schedulable: true,
      warnings: [],
      operation: { verb: 'undeploy', outcome: 'succeeded' },
    });
  });

  test('begins in available for clients that know no enroll', () => {
    const node = new Resource(nodeAggregate);
    node.execute('EnrollNode', { driver: 'ipmi', provisionState: 'available' });
    expect(nodeAggregate.status(node.state!)).toBe('available');
  });

  story('is enrolled once', nodeAggregate, [enrolled], (it) =>
    it
      .when('EnrollNode', enrolled.data)
      .events()
      .when('EnrollNode', { ...enrolled.data, driver: 'redfish' })
      .refused('node-exists'),
  );

  story('goes on numbering locks and attempts when it is enrolled anew', nodeAggregate, manageable, (it) =>
    it
      .when('DeleteNode')
      .events('NodeDeleted')
      .when('DeleteNode')
      .events()
      .when('SetProvisionState', { target: 'manage' })
      .refused('node-deleted')
      .when('EnrollNode', enrolled.data)
      .when('SetProvisionState', { target: 'manage' })
      .state({ operation: { attempt: 2 }, reservation: { token: 2 } })
      .when('ReportProvisionEvent', { event: 'done', token: 1, attempt: 1 })
      .events('NodeReportIgnored')
      .state({ provisionState: 'verifying' }),
  );
});

describe('a verb that takes a worker', () => {
  story('locks the node for the conductor in the same append', nodeAggregate, [enrolled], (it) =>
    it
      .when('SetProvisionState', { target: 'manage' })
      .leadsTo(
        {
          type: 'NodeReserved',
          data: { holder: 'c-1', kind: 'provision', purpose: 'manage (attempt 1)', token: 1, expiresAt: null },
        },
        {
          type: 'NodeOperationStarted',
          data: { attempt: 1, verb: 'manage', token: 1, cleaning: null, steps: [], given: [] },
        },
        {
          type: 'NodeProvisionStateChanged',
          data: {
            event: 'manage',
            from: 'enroll',
            to: 'verifying',
            targetBefore: null,
            targetAfter: 'manageable',
            cause: 'command',
            phase: 'start',
            attempt: 1,
            settlesError: false,
          },
        },
      )
      .state({ reservation: { holder: 'c-1', purpose: 'manage (attempt 1)' }, allowed: [] })
      .when('SetProvisionState', { target: 'manage' })
      .refused('node-locked'),
  );

  test('remembers that secrets came with it, and not what they were', () => {
    const node = new Resource(nodeAggregate);
    for (const { type, data } of available) node.execute(type, data);
    const steps = [{ interface: 'bios', step: 'apply', args: { settings: 'sesame' } }];
    const events = node.execute('SetProvisionState', { target: 'active', configdrive: 'sesame', deploySteps: steps });
    node.execute('ReportProvisionEvent', { event: 'done', holder: 'c-1' });
    const rescue = node.execute('SetProvisionState', { target: 'rescue', rescuePassword: 'sesame' });

    expect(JSON.stringify([events, rescue, node.state])).not.toContain('sesame');
    expect(events).toContainEqual({
      type: 'NodeOperationStarted',
      data: expect.objectContaining({
        given: ['configdrive', 'deploySteps'],
        steps: [{ interface: 'bios', step: 'apply' }],
      }),
    });
    expect(rescue).toContainEqual({
      type: 'NodeOperationStarted',
      data: expect.objectContaining({ given: ['rescuePassword'] }),
    });
  });

  test('is done by whoever asks, where the node has no conductor and nobody is named', () => {
    const node = new Resource(nodeAggregate);
    node.execute('EnrollNode', { driver: 'ipmi' });
    node.execute('SetProvisionState', { target: 'manage' });
    expect(node.view.reservation).toMatchObject({ holder: 'someone' });
    node.execute('ReportProvisionEvent', { event: 'done' });
    expect(node.view.provisionState).toBe('manageable');
    node.execute('SetProvisionState', { target: 'inspect', holder: 'c-9', leaseMs: 60_000 });
    expect(node.view.reservation).toMatchObject({ holder: 'c-9', expiresAt: expect.any(String) });
  });
});

describe('a node that is cleaned by hand', () => {
  const cleaned = [...manageable, verb('clean', { cleanSteps: [{ interface: 'raid', step: 'erase' }] })];

  story('goes back to manageable through wait, hold and unhold', nodeAggregate, cleaned, (it) =>
    it
      .state({ provisionState: 'cleaning', targetProvisionState: 'manageable', cleaning: 'manual' })
      .when('ReportProvisionEvent', { event: 'hold', holder: 'c-1' })
      .when('SetProvisionState', { target: 'unhold' })
      .state({ provisionState: 'clean wait', targetProvisionState: 'manageable' })
      .when('ReportProvisionEvent', { event: 'resume', attempt: 2 })
      .when('ReportProvisionEvent', { event: 'done', holder: 'c-1' })
      .state({ provisionState: 'manageable', targetProvisionState: null, cleaning: null }),
  );

  story('says the same to the end when the conductor is lost', nodeAggregate, cleaned, (it) =>
    it
      .when('TakeOverConductor', { conductor: 'c-1', by: 'c-2' })
      .state({ provisionState: 'clean failed', targetProvisionState: 'manageable', cleaning: 'manual' }),
  );

  story('is not cleaned by hand the next time', nodeAggregate, [...cleaned, reports('done')], (it) =>
    it
      .when('SetProvisionState', { target: 'provide' })
      .state({ provisionState: 'cleaning', targetProvisionState: 'available', cleaning: 'automated' }),
  );
});

describe('a retired node', () => {
  const retired = [...active, command('UpdateNode', { retired: true }), verb('deleted'), reports('clean')];

  story('ends in manageable when its last user has gone', nodeAggregate, retired, (it) =>
    it
      .when('ReportProvisionEvent', { event: 'done', holder: 'c-1' })
      .state({ provisionState: 'manageable', targetProvisionState: null })
      .when('SetProvisionState', { target: 'provide' })
      .refused('node-retired'),
  );
});
