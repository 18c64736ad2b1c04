import type { NodeAttributes } from '../../../domain/node/events.ts';
import { offsetTime } from '../times.ts';
import type { NodeState } from './node-state.ts';

/** A member of a node as Ironic shows it. */
export interface NodeField {
  /** The minor version it came with. */
  readonly since?: number;
  readonly value: (node: NodeState, minor: number) => unknown;
  /** What it is called in the ledger, where clients may set it; and what it is when they unset it. */
  readonly attribute?: keyof NodeAttributes;
  readonly unset?: unknown;
}

/** An attribute that clients may set. */
const settable = (attribute: keyof NodeAttributes, since: number, unset: unknown = null): NodeField => ({
  since,
  value: (node) => node[attribute],
  attribute,
  unset,
});

/** What Ironic has and the ledger does not keep: always as Ironic shows it where nobody has set it. */
const absent = (value: unknown, since = 1): NodeField => ({ since, value: () => value });

/** One of the interfaces of which Ironic's drivers are made up. */
const driverInterface = (name: string, since: number): NodeField => ({
  since,
  value: ({ interfaces }) => interfaces[name] ?? null,
});

/** The step at work, if it belongs to this kind of work. */
const stepOf = (kind: string, since: number): NodeField => ({
  since,
  value: ({ step }) =>
    step?.kind === kind
      ? {
          interface: step.interface,
          step: step.name,
          priority: step.priority,
          abortable: step.abortable,
          ...(step.abortAfter && { abort_after: true }),
        }
      : {},
});

const inspection = ({ operation }: NodeState) => (operation?.verb === 'inspect' ? operation : null);

/** Words of the state machine that clients of earlier versions do not know, and what they see instead. */
function stateShown(state: string, minor: number): string | null {
  if (minor < 2 && state === 'available') return null;
  return minor < 39 && state === 'inspect wait' ? 'inspecting' : state;
}

/** The interfaces by their names in the ledger. */
export const interfaces: Readonly<Record<string, number>> = {
  bios: 40,
  boot: 31,
  console: 31,
  deploy: 31,
  firmware: 86,
  inspect: 31,
  management: 31,
  network: 20,
  power: 31,
  raid: 31,
  rescue: 38,
  storage: 33,
  vendor: 31,
};

export const nodeFields: Readonly<Record<string, NodeField>> = {
  uuid: { value: ({ id }) => id },
  name: settable('name', 5),
  instance_uuid: { value: ({ instanceId }) => instanceId },
  power_state: { value: ({ powerState }) => powerState },
  target_power_state: { value: ({ targetPowerState }) => targetPowerState },
  provision_state: { value: ({ provisionState }, minor) => stateShown(provisionState, minor) },
  target_provision_state: {
    value: ({ targetProvisionState: target }, minor) => target && stateShown(target, minor),
  },
  provision_updated_at: { value: ({ stateSince }) => offsetTime(stateSince) },
  last_error: { value: ({ lastError }) => lastError },
  reservation: { value: ({ reservation }) => reservation?.holder ?? null },
  maintenance: { value: ({ maintenance }) => maintenance !== null },
  maintenance_reason: { value: ({ maintenance }) => maintenance?.reason ?? null },
  fault: { since: 42, value: ({ maintenance }) => maintenance?.fault ?? null },
  driver: settable('driver', 1),
  driver_info: settable('driverInfo', 1, {}),
  driver_internal_info: absent({}, 3),
  instance_info: settable('instanceInfo', 1, {}),
  properties: settable('properties', 1, {}),
  extra: settable('extra', 1, {}),
  resource_class: settable('resourceClass', 21),
  owner: settable('owner', 50),
  lessee: settable('lessee', 65),
  description: settable('description', 51),
  protected: settable('protected', 48, false),
  protected_reason: settable('protectedReason', 48),
  retired: settable('retired', 61, false),
  retired_reason: settable('retiredReason', 61),
  automated_clean: settable('automatedClean', 47),
  disable_power_off: settable('disablePowerOff', 95, false),
  conductor: { since: 49, value: ({ conductor }) => conductor },
  conductor_group: absent('', 46),
  clean_step: stepOf('clean', 7),
  deploy_step: stepOf('deploy', 44),
  service_step: stepOf('service', 87),
  inspection_started_at: { since: 6, value: (node) => offsetTime(inspection(node)?.startedAt ?? null) },
  inspection_finished_at: { since: 6, value: (node) => offsetTime(inspection(node)?.endedAt ?? null) },
  console_enabled: absent(false),
  chassis_uuid: absent(null),
  allocation_uuid: absent(null, 52),
  raid_config: absent({}, 12),
  target_raid_config: absent({}, 12),
  network_data: absent({}, 66),
  traits: absent([], 37),
  boot_mode: absent(null, 75),
  secure_boot: absent(null, 75),
  shard: absent(null, 82),
  parent_node: absent(null, 83),
  instance_name: absent(null, 104),
  ...Object.fromEntries(
    Object.entries(interfaces).map(([name, since]) => [`${name}_interface`, driverInterface(name, since)]),
  ),
  created_at: { value: ({ createdAt }) => offsetTime(createdAt) },
  updated_at: { value: ({ updatedAt }) => offsetTime(updatedAt) },
};

export const sinceOf = (field: string): number => nodeFields[field]?.since ?? 1;
