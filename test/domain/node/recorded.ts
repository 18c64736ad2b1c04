import { readFileSync } from 'node:fs';
import type { DomainEvent } from '../../../src/domain/kernel/events.ts';
import { Refusal } from '../../../src/domain/kernel/refusal.ts';
import { nodeAggregate } from '../../../src/domain/node/index.ts';
import { type KnownState, machine } from '../../../src/domain/node/provision-machine.ts';
import type { Node } from '../../../src/domain/node/state.ts';
import { Resource } from '../../support/story.ts';

/** Ironic's recorded answers. See NOTICE. */
export const vectors = <T>(file: string): T =>
  JSON.parse(readFileSync(new URL(`../../vectors/ironic/${file}`, import.meta.url), 'utf8')) as T;

interface RecordedStep {
  interface: string;
  step: string;
  abortable?: boolean;
  priority?: number;
}

/** A node as the recordings write it. */
export interface RecordedNode {
  provision_state: KnownState;
  target_provision_state?: KnownState | null;
  target_power_state?: string | null;
  power_state?: string;
  maintenance?: boolean;
  maintenance_reason?: string | null;
  fault?: string | null;
  reservation?: boolean | string;
  instance_uuid?: string | null;
  last_error?: string | null;
  automated_clean?: boolean | null;
  protected?: boolean;
  retired?: boolean;
  conductor?: string;
  clean_step?: RecordedStep | Record<string, never>;
  deploy_step?: RecordedStep | Record<string, never>;
  service_step?: RecordedStep | Record<string, never>;
}

export const recordedDriver = 'fake-hardware';
export const otherHost = 'other-host';

/** Every recorded wait began at the beginning of the year, and may last half an hour. */
export const waitsUntil = '2026-01-01T00:30:00.000Z';

/** The events that make a node what the recording says it was, by whatever way it came there. */
export function past(row: RecordedNode): DomainEvent[] {
  const {
    defaults,
    provision_state: to,
    target_provision_state: target = machine[row.provision_state].target,
  } = {
    defaults: enrolled,
    ...row,
  };
  const step = [row.clean_step, row.deploy_step, row.service_step].find((given) => given?.step) as RecordedStep;
  const { activity, kind } = machine[to];
  const isManual = activity === 'clean' && target === 'manageable';
  const events: (DomainEvent | false)[] = [
    {
      type: 'NodeEnrolled',
      data: {
        ...defaults,
        automatedClean: row.automated_clean ?? null,
        protected: row.protected ?? false,
        retired: row.retired ?? false,
        conductor: row.conductor ?? null,
      },
    },
    row.power_state !== undefined && {
      type: 'NodePowerStateReported',
      data: { powerState: row.power_state, completes: false },
    },
    isManual && {
      type: 'NodeOperationStarted',
      data: { attempt: 1, verb: 'clean', token: 1, cleaning: 'manual', steps: [], given: [] },
    },
    {
      type: 'NodeProvisionStateChanged',
      data: {
        event: 'resume',
        from: 'enroll',
        to,
        targetBefore: null,
        targetAfter: target,
        cause: 'command',
        phase: 'success',
        attempt: 0,
        settlesError: false,
        ...(kind === 'waiting' && { callBack: { deadline: waitsUntil, timeoutMs: 1_800_000 } }),
      },
    },
    step !== undefined && {
      type: 'NodeStepReported',
      data: {
        attempt: 0,
        kind: activity,
        interface: step.interface,
        name: step.step,
        priority: step.priority ?? 0,
        abortable: step.abortable ?? false,
        progress: null,
      },
    },
    !!row.instance_uuid && { type: 'NodeInstanceAssociated', data: { instanceId: row.instance_uuid } },
    !!row.last_error && { type: 'NodeErrorRaised', data: { during: 'earlier', error: row.last_error, attempt: 0 } },
    row.maintenance === true && {
      type: 'NodeMaintenanceSet',
      data: { cause: row.fault ?? 'operator', reason: row.maintenance_reason ?? null },
    },
    !!row.target_power_state && {
      type: 'NodePowerStateRequested',
      data: { requested: row.target_power_state, target: row.target_power_state },
    },
    !!row.reservation && {
      type: 'NodeReserved',
      data: {
        holder: typeof row.reservation === 'string' ? row.reservation : otherHost,
        purpose: 'recorded',
        kind: row.target_power_state && kind !== 'working' ? 'power' : 'other',
        token: 1,
        expiresAt: null,
      },
    },
  ];
  return events.filter((event) => event !== false);
}

const enrolled = {
  ...(nodeAggregate.commands.EnrollNode!.parse({ driver: recordedDriver }) as object),
  lastToken: 0,
  attempts: 0,
};

export function nodeOf(row: RecordedNode, facts: object = {}): Resource<Node> {
  const node = new Resource(nodeAggregate);
  node.facts = facts;
  for (const event of past(row)) node.record(event);
  return node;
}

/** The fault by which Ironic's clients would know the refusal; null where the command is accepted. */
export function faultOf(node: Resource<Node>, type: string, data: object = {}): string | null {
  try {
    node.execute(type, data);
    return null;
  } catch (error) {
    if (error instanceof Refusal) return String(error.help.ironic);
    throw error;
  }
}

/** What a verb cannot do without. */
export const neededBy: Readonly<Record<string, object>> = {
  clean: { cleanSteps: [{ interface: 'bios', step: 'factory_reset' }] },
  service: { serviceSteps: [{ interface: 'vendor', step: 'log_passthrough' }] },
  rescue: { rescuePassword: 'pw' },
};

/** Lets the worker that a verb set to work come to a good end, as the recorded one did. */
export function finishWork(node: Resource<Node>): void {
  for (let reports = 0; node.state?.reservation && reports < 3; reports++) {
    const { token, kind } = node.state.reservation;
    const event = node.state.provisionState === 'deleting' && kind === 'provision' ? 'clean' : 'done';
    node.execute('ReportProvisionEvent', { event, token });
  }
}
