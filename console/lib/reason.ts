import type { Kind, State } from '../../src/client/index.ts';

/** Why a resource is as it is, in a line, from its state alone. The page of the resource tells the whole story. */
const reasons: { readonly [K in Kind]: (state: State<K>) => string | null } = {
  port: ({ blocks, binding }) => {
    if (binding.failure) return `binding failed on ${binding.host}`;
    if (blocks.length === 0) return null;
    return `waits for ${blocks.map(({ entity, host }) => (host === undefined ? entity : `${entity} from ${host}`)).join(', ')}`;
  },
  server: (server) => {
    const { waits, pending, faults, operation, taskState } = server;
    if (pending) return `no room since attempt ${pending.attempt}: ${pending.reason}`;
    const open = waits.filter(({ result }) => result === undefined);
    if (open.length > 0) return `waits for ${open.map(({ event }) => event).join(', ')}`;
    if (server.vmState === 'error') return faults.at(-1)?.message ?? null;
    if (operation && operation.worker === null) return `${operation.action}: nobody has taken it up`;
    return taskState;
  },
  node: ({ lastError, callBack, maintenance, reservation, targetProvisionState }) => {
    if (maintenance) return `maintenance: ${maintenance.reason ?? maintenance.fault ?? 'no reason given'}`;
    if (lastError !== null) return lastError;
    if (callBack) return 'waits for its ramdisk to call back';
    if (targetProvisionState !== null) return `on the way to ${targetProvisionState}`;
    return reservation ? `locked by ${reservation.holder}` : null;
  },
  agent: ({ alive, adminStateUp }) => {
    if (!alive) return 'silent';
    return adminStateUp ? null : 'switched off by an administrator';
  },
  network: ({ dhcpAgents }) =>
    dhcpAgents.length === 0 ? null : `DHCP on ${dhcpAgents.map(({ host }) => host).join(', ')}`,
};

export const reasonOf = (kind: Kind, state: State): string | null =>
  (reasons[kind] as (state: State) => string | null)(state);

const hosts: { readonly [K in Kind]: (state: State<K>) => string | null } = {
  port: ({ binding }) => binding.host,
  server: ({ host }) => host,
  node: ({ conductor }) => conductor,
  agent: ({ host }) => host,
  network: () => null,
};

export const hostOf = (kind: Kind, state: State): string | null =>
  (hosts[kind] as (state: State) => string | null)(state);
