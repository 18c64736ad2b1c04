import { agentTypes } from '../../../src/domain/agent/identity.ts';
import { kindOf } from '../../../src/domain/node/provision-machine.ts';
import type { Node } from '../../../src/domain/node/state.ts';
import { type Act, agent, conductors, maybe, nodes, user } from './actor.ts';

export const enroll: Act = ({ random, witness, give }) => {
  const id = random.oneOf(nodes);
  if (witness.stateOf('node', id)) return;
  const data = { provisionState: random.oneOf(['enroll', 'available']), conductor: random.oneOf(conductors) };
  give(user('admin'), 'node', id, 'EnrollNode', data);
};

/** A conductor goes on with the work it holds a lock for, if it still runs. */
export const work: Act = ({ random, witness, isRunning, give }) => {
  const node = witness.stateOf<Node>('node', random.oneOf(nodes));
  const lock = node?.reservation;
  if (!node || !lock || lock.kind === 'other') return;
  const speaker = `${lock.holder}:${agentTypes.conductor}`;
  if (!isRunning(speaker)) return;
  const { attempts: attempt } = node;
  const claim = {
    holder: lock.holder,
    ...(maybe(random, 0.5) ? { token: lock.token } : lock.kind !== 'power' && { attempt }),
  };
  const event = random.oneOf(['done', 'done', 'done', 'wait', 'wait', 'fail', 'step']);
  const more = {
    ...(event === 'fail' && { error: 'the disk is broken' }),
    ...(event === 'step' && { step: { interface: 'deploy', name: `step-${random.below(3)}` } }),
  };
  give(agent(speaker), 'node', node.id, 'ReportProvisionEvent', { event, ...claim, ...more });
};

/** Conductors that run come to an end with what they have begun. */
export const finishWork: Act = ({ witness, isRunning, give }) => {
  for (const { id, reservation } of witness.living<Node>('node')) {
    if (!reservation || reservation.kind === 'other') continue;
    const { holder, token } = reservation;
    const speaker = `${holder}:${agentTypes.conductor}`;
    if (isRunning(speaker)) give(agent(speaker), 'node', id, 'ReportProvisionEvent', { event: 'done', holder, token });
  }
};

/** The node's ramdisk calls back, or only beats, or says something about an attempt long ago. */
export const callBack: Act = ({ random, witness, give }) => {
  const node = witness.stateOf<Node>('node', random.oneOf(nodes));
  if (!node || kindOf(node.provisionState) !== 'waiting') return;
  const attempt = maybe(random, 0.1) ? Math.max(node.attempts - 1, 1) : node.attempts;
  if (attempt === 0) return;
  const ramdisk = agent(`ramdisk of ${node.id}`);
  if (maybe(random, 0.4)) give(ramdisk, 'node', node.id, 'Heartbeat', { attempt });
  else
    give(ramdisk, 'node', node.id, 'ReportProvisionEvent', {
      event: random.oneOf(['resume', 'resume', 'fail']),
      attempt,
    });
};

const verbs = ['manage', 'provide', 'inspect', 'abort', 'deleted', 'active', 'rebuild', 'adopt'];

/** Operators turn the knobs. */
export const operate: Act = ({ random, witness, give }) => {
  const node = witness.stateOf<Node>('node', random.oneOf(nodes));
  if (!node) return;
  const { id } = node;
  const admin = user('admin');
  const steps = [{ interface: 'deploy', step: 'erase' }];
  const [type, data] = random.oneOf([
    ['SetProvisionState', { target: random.oneOf(verbs) }],
    ['SetProvisionState', { target: node.provisionState === 'enroll' ? 'manage' : 'provide' }],
    ['SetProvisionState', { target: 'clean', cleanSteps: steps }],
    ['SetPowerState', { target: random.oneOf(['power on', 'power off', 'rebooting']) }],
    ['SetMaintenance', { reason: 'looking at it' }],
    ['ClearMaintenance', {}],
    ['ClearMaintenance', {}],
    ['ReserveNode', { holder: 'console', purpose: 'console', leaseMs: 30_000 }],
    ['ReleaseNode', { holder: 'console' }],
    ['BreakReservation', { reason: 'it takes too long' }],
    ['ReportPowerState', { powerState: random.oneOf(['power on', 'power off']) }],
  ] as const);
  if (type === 'BreakReservation' && maybe(random, 0.7)) return;
  if (maybe(random, 0.02)) give(admin, 'node', id, 'DeleteNode');
  else give(admin, 'node', id, type, data);
};
