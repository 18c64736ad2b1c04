import { powerStateWords } from '../domain/server/states.ts';
import { listOf, recordOf, textOf, textOrNull } from './fields.ts';
import { type Fields, type Notification, timeOf } from './notification.ts';
import type { Observed, Reading } from './translation.ts';

/**
 * Nova's notifications: with versions (`instance.update`) and without (`compute.instance.update`). All that are about an
 * instance carry it as it is at that moment, whatever they are sent for, so one reading does for them.
 */
export const novaReadings: readonly (readonly [pattern: RegExp, reading: Reading])[] = [
  [/^instance\.delete\.end$/, (message) => instance(message, { vmState: 'deleted', taskState: null })],
  [/^instance\./, (message) => instance(message)],
  [/^compute_task\.\w+\.error$/, task],
  [/^compute\.instance\.delete\.end$/, (message) => unversioned(message, { vmState: 'deleted', taskState: null })],
  [/^compute\.instance\./, (message) => unversioned(message)],
  [/^compute_task\.|^(compute|scheduler)\b/, { skipped: 'it is about no server, port or node' }],
];

const powerStates = new Map<unknown, number>(
  Object.entries(powerStateWords).map(([number, word]) => [word, Number(number)]),
);

function instance({ payload }: Notification, more: object = {}): Observed[] {
  const flavor = recordOf(payload.flavor);
  return [
    {
      kind: 'server',
      id: textOf(payload.uuid),
      says: {
        vmState: payload.state,
        taskState: textOrNull(payload.task_state),
        powerState: powerStates.get(payload.power_state),
        host: textOrNull(payload.host),
        launchedAt: launched(payload),
        name: textOf(payload.display_name),
        projectId: textOf(payload.tenant_id),
        userId: textOf(payload.user_id),
        imageRef: textOrNull(payload.image_uuid),
        flavorRef: textOf(flavor?.flavorid),
        metadata: recordOf(payload.metadata),
        failure: failureOf(payload.fault),
        ...more,
      },
    },
  ];
}

/** Before versions, the task was the description of the state, and `''` was null. */
function unversioned({ payload }: Notification, more: object = {}): Observed[] {
  const image = recordOf(payload.image_meta);
  return [
    {
      kind: 'server',
      id: textOf(payload.instance_id),
      says: {
        vmState: payload.state,
        taskState: textOrNull(payload.new_task_state ?? payload.state_description ?? ''),
        host: textOrNull(payload.host),
        launchedAt: launched(payload),
        name: textOf(payload.display_name),
        projectId: textOf(payload.tenant_id),
        userId: textOf(payload.user_id),
        imageRef: textOf(image?.base_image_ref) || undefined,
        flavorRef: textOf(payload.instance_flavor_id),
        metadata: recordOf(payload.metadata),
        ...more,
      },
    },
  ];
}

/** The conductor found no host, or gave up: it says what the server has become, and why. */
function task({ payload }: Notification): Observed[] {
  const ids = [payload.instance_uuid ?? payload.instance_id ?? listOf(payload.instance_uuids)].flat();
  const failure = failureOf(payload.reason);
  return ids.map((id) => ({
    kind: 'server',
    id: textOf(id),
    says: { vmState: payload.state, taskState: null, failure },
  }));
}

function launched({ launched_at: at }: Fields): string | null | undefined {
  return at === null || at === '' ? null : (timeOf(at) ?? undefined);
}

/** An exception as Nova reports it. Its traceback is for Nova's own log. */
function failureOf(value: unknown): object | undefined {
  const { exception, exception_message: message } = recordOf(value) ?? {};
  if (typeof exception !== 'string') return undefined;
  return { reason: exception, ...(typeof message === 'string' && { message: message.slice(0, 10_000) }) };
}
