import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Refusal } from '../../../src/domain/kernel/refusal.ts';
import { nodeAggregate } from '../../../src/domain/node/index.ts';
import { machine, provisionStates } from '../../../src/domain/node/provision-machine.ts';
import { Resource, story } from '../../support/story.ts';
import { active, available, deploying, reports, verb, waiting } from './lives.ts';

const source = 'ironic-conductor.rack-1';
const instanceId = 'aaaaaaaa-0000-4000-8000-000000000001';
const seen = (provisionState: string, more: object = {}) => ({ source, provisionState, ...more });
const at = (second: number): string => new Date(Date.UTC(2026, 4, 1, 12, 0, second)).toISOString();

describe('a node that an outside system shows', () => {
  const running = seen('active', { name: 'rack-1-07', driver: 'idrac', powerState: 'power on', instanceId });

  story('begins its life as it is shown, if it was unknown', nodeAggregate, [], (it) =>
    it
      .when('ObserveNode', running)
      .events('NodeEnrolled', 'NodeObserved', 'NodePowerStateReported', 'NodeInstanceAssociated')
      .state({
        name: 'rack-1-07',
        provisionState: 'active',
        targetProvisionState: null,
        powerState: 'power on',
        instanceId,
        allowed: ['rebuild', 'deleted', 'undeploy', 'rescue', 'service'],
        observation: { source, provisionState: 'active', unexpected: false },
      })
      .when('ObserveNode', running)
      .events()
      .when('SetProvisionState', { target: 'undeploy' })
      .state({ provisionState: 'deleting', targetProvisionState: 'available' }),
  );

  story('is locked while work is seen, so that no verb gets in its way', nodeAggregate, [...available], (it) =>
    it
      .when('ObserveNode', seen('deploying', { targetProvisionState: 'active' }))
      .events('NodeReserved', 'NodeOperationStarted', 'NodeObserved')
      .state({ allowed: [], targetProvisionState: 'active', reservation: { holder: 'c-1' }, warnings: [] })
      .when('SetProvisionState', { target: 'abort' })
      .refused('node-locked')
      .when('ObserveNode', seen('wait call-back', { targetProvisionState: 'active' }))
      .events('NodeObserved', 'NodeReleased')
      .state({ allowed: ['deleted', 'undeploy', 'abort'], operation: { verb: 'deploy', endedAt: null } })
      .when('ObserveNode', seen('active'))
      .state({ reservation: null, operation: { outcome: 'succeeded' }, observation: { unexpected: false } }),
  );

  story('goes on by observation or by report', nodeAggregate, [], (it) =>
    it
      .when('ObserveNode', seen('deploying', { conductor: 'c-1' }))
      .when('ReportProvisionEvent', { event: 'done', holder: 'c-1' })
      .state({ provisionState: 'active', operation: { outcome: 'succeeded' } }),
  );

  story('ends the work that a worker of the ledger had begun', nodeAggregate, [...deploying], (it) =>
    it
      .when('ObserveNode', seen('deploy failed', { targetProvisionState: 'active', lastError: 'no image' }))
      .events('NodeObserved', 'NodeReleased', 'NodeErrorRaised')
      .state({ lastError: 'no image', operation: { outcome: 'failed' }, observation: { unexpected: false } })
      .when('SetProvisionState', { target: 'rebuild' })
      .state({ provisionState: 'deploying' }),
  );

  story('does not time out in a wait that it is not in any more', nodeAggregate, [...waiting], (it) =>
    it.when('ObserveNode', seen('active')).state({ callBack: null }),
  );

  story('is cleaned by hand where it is on the way back to manageable', nodeAggregate, [], (it) =>
    it
      .when('ObserveNode', seen('clean wait', { targetProvisionState: 'manageable' }))
      .state({ cleaning: 'manual', targetProvisionState: 'manageable' })
      .when('ReportProvisionEvent', { event: 'resume', holder: 'c-1' })
      .when('ReportProvisionEvent', { event: 'done', holder: 'c-1' })
      .state({ provisionState: 'manageable' }),
  );
});

describe('an observation that the rules would not have led to', () => {
  test.each([
    ['enroll', 'active', true],
    ['available', 'active', false],
    ['deploying', 'deploying', false],
    ['active', 'available', false],
    ['active', 'inspecting', true],
    ['deploy failed', 'active', false],
    ['clean failed', 'available', true],
  ])('from %s to %s: flagged %s', (from, to, unexpected) => {
    const node = new Resource(nodeAggregate);
    node.execute('ObserveNode', seen(from));
    node.execute('ObserveNode', seen(to, { observedAt: at(1) }));
    expect(node.view).toMatchObject({ provisionState: to, observation: { unexpected } });
  });

  story(
    'keeps a state nobody knows as it was said, and nothing leads on but the next word',
    nodeAggregate,
    active,
    (it) =>
      it
        .when('ObserveNode', seen('quarantined'))
        .state({ provisionState: 'quarantined', allowed: [], observation: { unexpected: true } })
        .when('SetProvisionState', { target: 'undeploy' })
        .refused('invalid-state-requested')
        .when('ReportProvisionEvent', { event: 'wait' })
        .refused('report-not-applicable')
        .when('ObserveNode', seen('active'))
        .state({ provisionState: 'active', observation: { unexpected: true } }),
  );

  test('stores no target that the machine cannot reach, and keeps the word all the same', () => {
    const node = new Resource(nodeAggregate);
    node.execute('ObserveNode', seen('deploying', { targetProvisionState: 'deploy complete' }));
    expect(node.view).toMatchObject({
      targetProvisionState: 'active',
      observation: { targetProvisionState: 'deploy complete', unexpected: true },
    });
  });
});

describe('an observation that comes late', () => {
  story('is recorded once and changes nothing', nodeAggregate, [], (it) =>
    it
      .when('ObserveNode', seen('deploying', { observedAt: at(1) }))
      .when('ObserveNode', seen('active', { observedAt: at(9) }))
      .when('ObserveNode', seen('wait call-back', { observedAt: at(5), lastError: 'old news' }))
      .events('NodeObserved')
      .state({
        provisionState: 'active',
        lastError: null,
        observation: { observedAt: at(9), late: false },
        lateObservation: { observedAt: at(5), provisionState: 'wait call-back', late: true },
      })
      .when('ObserveNode', seen('wait call-back', { observedAt: at(5), lastError: 'old news' }))
      .events(),
  );

  story('is told from one that confirms what is known', nodeAggregate, [], (it) =>
    it
      .when('ObserveNode', seen('active', { observedAt: at(1) }))
      .when('ObserveNode', seen('active', { observedAt: at(9) }))
      .events('NodeObserved')
      .when('ObserveNode', seen('deploying', { observedAt: at(5) }))
      .state({ provisionState: 'active', lateObservation: { observedAt: at(5) } }),
  );

  story('counts where it tells of the end', nodeAggregate, [], (it) =>
    it
      .when('ObserveNode', seen('available', { observedAt: at(9) }))
      .when('ObserveNode', seen('available', { observedAt: at(5), deleted: true }))
      .events('NodeObserved', 'NodeDeleted')
      .when('ObserveNode', seen('available', { observedAt: at(10) }))
      .events('NodeObserved')
      .state({ deletedAt: expect.any(String), observation: { unexpected: true } }),
  );
});

describe('errors and maintenance of an observed node', () => {
  story('C038: an old error on a node that is well is shown, and seen to be old', nodeAggregate, [], (it) =>
    it
      .when('ObserveNode', seen('active', { powerState: 'power on', lastError: 'power sync failed' }))
      .state({ lastError: 'power sync failed', warnings: [{ sign: 'error-contradicts-state' }] })
      .when('ReportPowerState', { powerState: 'power on' })
      .state({ lastError: null, warnings: [], pastTroubles: [{ message: 'power sync failed' }] }),
  );

  story('come and go with what is said of them', nodeAggregate, [...active], (it) =>
    it
      .when('ObserveNode', seen('active', { maintenance: { reason: 'disk', fault: 'power failure' }, lastError: 'A' }))
      .state({ maintenance: { reason: 'disk', fault: 'power failure' }, lastError: 'A' })
      .when('ObserveNode', seen('active', { maintenance: { reason: 'disk', fault: 'power failure' }, lastError: 'A' }))
      .events()
      .when('ObserveNode', seen('active', { maintenance: null, lastError: null }))
      .state({ maintenance: null, lastError: null }),
  );
});

describe('whatever is observed, in whatever order', () => {
  const words = [...provisionStates, 'quarantined', 'deploy complete'];
  const observation = fc.record(
    {
      provisionState: fc.constantFrom(...words),
      targetProvisionState: fc.constantFrom(...words, null),
      observedAt: fc.integer({ min: 0, max: 5 }).map(at),
      powerState: fc.constantFrom('power on', 'power off', null),
      instanceId: fc.constantFrom(instanceId, null),
      lastError: fc.constantFrom('A', 'B', null),
      deleted: fc.constantFrom(false, false, false, true),
    },
    { requiredKeys: ['provisionState'] },
  );
  const step = fc.oneof(
    observation.map((data) => ({ type: 'ObserveNode', data: { source, ...data } })),
    fc.constantFrom(verb('manage'), verb('active'), verb('undeploy'), verb('abort'), reports('done'), reports('wait')),
  );

  test('the node stays usable: stable targets, no second word for the same, no fault', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 12 }), (steps) => {
        const node = new Resource(nodeAggregate);
        for (const { type, data } of steps) {
          try {
            node.execute(type, data);
          } catch (error) {
            if (!(error instanceof Refusal)) throw error;
            expect(type).not.toBe('ObserveNode');
            continue;
          }
          const target = node.state?.targetProvisionState ?? null;
          if (target !== null) expect(machine[target].kind).toBe('stable');
          if (type === 'ObserveNode') expect(node.decide(type, data)).toEqual([]);
          expect(JSON.parse(JSON.stringify(node.view))).toEqual(node.view);
        }
      }),
      { numRuns: 300 },
    );
  });
});
