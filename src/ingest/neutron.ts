import { flagOf, idOf, listOf, recordOf, textOf, textOrNull } from './fields.ts';
import type { Fields, Notification } from './notification.ts';
import { announcement, type Observed, type Reading } from './translation.ts';

/** Neutron says what it has done at the end of each request, with the resource as the API shows it. */
export const neutronReadings: readonly (readonly [pattern: RegExp, reading: Reading])[] = [
  [/^port\.(create|update)\.end$/, ports],
  [/^port\.delete\.end$/, deletedPort],
  [/^port\.\w+\.(start|error)$/, announcement],
  [
    /^(network|subnet|subnetpool|router|floatingip|security_group|agent|trunk|port)\b/,
    { skipped: 'it is about no port' },
  ],
];

/** One port, or all of a bulk request. */
function ports({ payload }: Notification): Observed[] {
  return [...listOf(payload.ports), payload.port].flatMap((value) => {
    const port = recordOf(value);
    return port ? [portOf(port)] : [];
  });
}

/** Older releases name the port alone; nothing is then known of it but that it is gone. */
function deletedPort({ payload }: Notification): Observed[] {
  const port = recordOf(payload.port) ?? { id: payload.port_id };
  const { id, says } = portOf(port);
  return [{ kind: 'port', id, says: { ...says, status: says.status ?? 'DOWN', deleted: true } }];
}

function portOf(port: Fields): Extract<Observed, { kind: 'port' }> {
  const fixedIps = listOf(port.fixed_ips).map((ip) => {
    const { subnet_id: subnetId, ip_address: ipAddress } = recordOf(ip) ?? {};
    return { subnetId, ipAddress };
  });
  return {
    kind: 'port',
    id: idOf(port.id),
    says: {
      status: port.status,
      name: textOf(port.name),
      projectId: textOf(port.project_id ?? port.tenant_id),
      networkId: idOf(port.network_id),
      macAddress: textOf(port.mac_address)?.toLowerCase(),
      fixedIps: port.fixed_ips === undefined ? undefined : fixedIps,
      deviceId: textOf(port.device_id),
      deviceOwner: textOf(port.device_owner),
      adminStateUp: flagOf(port.admin_state_up),
      host: textOrNull(port['binding:host_id']),
      vnicType: textOf(port['binding:vnic_type']),
      profile: recordOf(port['binding:profile']),
      vifType: textOf(port['binding:vif_type']),
      vifDetails: recordOf(port['binding:vif_details']),
    },
  };
}
