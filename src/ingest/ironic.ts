import { faults } from '../domain/node/events.ts';
import { flagOf, idOf, recordOf, textOf, textOrNull } from './fields.ts';
import type { Fields, Notification } from './notification.ts';
import { announcement, type Observed, type Reading } from './translation.ts';

/**
 * Ironic's notifications about a node carry all of it, as it was saved; but where they announce a change that was asked
 * for, or that failed, they carry what was asked for.
 */
export const ironicReadings: readonly (readonly [pattern: RegExp, reading: Reading])[] = [
  [/^baremetal\.node\.delete\.end$/, (message) => node(message, { deleted: true })],
  [/^baremetal\.node\.(create|update|delete)\.(start|error)$/, announcement],
  [/^baremetal\.node\.maintenance_set\.(start|error)$/, (message) => node(message, { maintenance: undefined })],
  [/^baremetal\.node\./, (message) => node(message)],
  [/^baremetal\./, { skipped: 'it is about no node' }],
];

function node({ payload, publisherId }: Notification, more: object = {}): Observed[] {
  return [
    {
      kind: 'node',
      id: idOf(payload.uuid),
      says: {
        // Before Ironic had a word for it, an available node was in no state.
        provisionState: payload.provision_state === null ? 'available' : payload.provision_state,
        targetProvisionState: textOrNull(payload.target_provision_state),
        powerState: textOrNull(payload.power_state),
        lastError: textOrNull(payload.last_error),
        maintenance: maintenanceOf(payload),
        instanceId: idOf(payload.instance_uuid) ?? (payload.instance_uuid === null ? null : undefined),
        name: textOrNull(payload.name),
        driver: textOf(payload.driver),
        conductor: conductorOf(publisherId),
        interfaces: interfacesOf(payload),
        instanceInfo: recordOf(payload.instance_info),
        properties: recordOf(payload.properties),
        extra: recordOf(payload.extra),
        resourceClass: textOrNull(payload.resource_class),
        owner: textOrNull(payload.owner),
        lessee: textOrNull(payload.lessee),
        description: textOrNull(payload.description),
        protected: flagOf(payload.protected),
        protectedReason: textOrNull(payload.protected_reason),
        retired: flagOf(payload.retired),
        retiredReason: textOrNull(payload.retired_reason),
        ...more,
      },
    },
  ];
}

/** The conductor that works on the node is the one that speaks of it; the API speaks for nobody. */
const conductorOf = (publisherId: string): string | undefined => /^ironic-conductor\.(.+)$/.exec(publisherId)?.[1];

function maintenanceOf({ maintenance, maintenance_reason: reason, fault }: Fields): object | null | undefined {
  if (typeof maintenance !== 'boolean') return undefined;
  if (!maintenance) return null;
  const known = faults.find((word) => word === fault) ?? null;
  return { reason: textOrNull(reason) ?? null, fault: known };
}

function interfacesOf(payload: Fields): object | undefined {
  const interfaces = Object.entries(payload).flatMap(([field, value]) => {
    const [, name] = /^([a-z]+)_interface$/.exec(field) ?? [];
    return name !== undefined && typeof value === 'string' ? [[name, value]] : [];
  });
  return interfaces.length > 0 ? Object.fromEntries(interfaces) : undefined;
}
