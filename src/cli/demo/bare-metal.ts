import type { Command } from '../../client/kinds.ts';
import { type Line, line, minutes, seconds } from './scene.ts';
import type { Cast } from './stage.ts';

export const bareMetalCast: Cast = { operator: 'operator', 'conductor-1': 'agent', ramdisk: 'agent' };

export const node = { kind: 'node', id: '7c1f5a0e-52b4-4c1e-9d39-8f6f3f1b7a21' } as const;
const instanceId = '0a6f0c1d-3f1e-4a52-8d5c-6b7f9d1e2c34';

type NodeCommand = Command<'node'>;
type Report = Extract<NodeCommand, { type: 'ReportProvisionEvent' }>['data'];

const says = (by: string, command: NodeCommand, more: Pick<Line, 'afterMs' | 'refused'> = {}): Line =>
  line({ by, to: node, command, ...more });

/** An operator asks for a verb. */
const verb = (target: string, afterMs: number, refused?: string): Line =>
  says(
    'operator',
    { type: 'SetProvisionState', data: { target } },
    { afterMs, ...(refused !== undefined && { refused }) },
  );

/** The conductor, or the node's ramdisk, says what has happened. */
const report = (by: string, event: Report['event'], afterMs: number, more: Partial<Report> = {}): Line =>
  says(by, { type: 'ReportProvisionEvent', data: { event, ...more } }, { afterMs });

/** A conductor hands over to the ramdisk it has booted, and goes on when that calls back. */
const bootsRamdisk = (bootMs: number, attempt: number): Line[] => [
  report('conductor-1', 'wait', seconds(20)),
  report('ramdisk', 'resume', bootMs, { attempt }),
];

/** The life of a node from its first day to its second user: one deployment fails, and is tried again. */
export const bareMetalLines: readonly Line[] = [
  says('operator', {
    type: 'EnrollNode',
    data: { name: 'rack-7-u12', driver: 'ipmi', conductor: 'conductor-1', resourceClass: 'baremetal-large' },
  }),
  verb('manage', minutes(2)),
  report('conductor-1', 'done', seconds(9), { powerState: 'power off' }),

  verb('provide', minutes(1)),
  ...bootsRamdisk(seconds(155), 2),
  report('conductor-1', 'step', seconds(4), { step: { interface: 'deploy', name: 'erase_devices_metadata' } }),
  report('conductor-1', 'done', seconds(41), { powerState: 'power off' }),

  says('operator', { type: 'UpdateNode', data: { instanceId } }, { afterMs: minutes(14) }),
  verb('active', seconds(1)),
  verb('provide', seconds(5), 'node-locked'),
  report('conductor-1', 'wait', seconds(20)),
  verb('rescue', seconds(30), 'invalid-state-requested'),
  // The ramdisk never calls back: half an hour later the clock gives the deployment up.
  verb('active', minutes(37)),
  // The one of the attempt that failed is late, and changes nothing.
  says(
    'ramdisk',
    { type: 'ReportProvisionEvent', data: { event: 'resume', attempt: 3 } },
    { afterMs: seconds(12), refused: 'stale-report' },
  ),
  ...bootsRamdisk(seconds(171), 4),
  report('conductor-1', 'step', seconds(3), { step: { interface: 'deploy', name: 'write_image', priority: 80 } }),
  report('conductor-1', 'done', seconds(96), { powerState: 'power on' }),

  verb('undeploy', minutes(180)),
  report('conductor-1', 'clean', seconds(14), { powerState: 'power off' }),
  ...bootsRamdisk(seconds(160), 5),
  report('conductor-1', 'done', seconds(52)),
];

/** What the node is in the end. */
export const bareMetalEnd = {
  provisionState: 'available',
  targetProvisionState: null,
  reservation: null,
  instanceId: null,
  lastError: null,
  attempts: 5,
} as const;
