import type { Network } from '../network/state.ts';
import { dhcp, l2 } from './events.ts';
import { block, blockOf, lift } from './provisioning.ts';
import type { Port } from './state.ts';
import type { Surroundings } from './surroundings.ts';
import type { Unfolding } from './unfolding.ts';

/** Ports of Neutron's own routers and services, and of nobody yet: their agents are not asked to report them. */
const unawaitedOwners: readonly string[] = [
  '',
  'network:router_interface_distributed',
  'network:ha_router_replicated_interface',
  'network:router_interface',
  'network:router_gateway',
  'network:router_centralized_snat',
  'network:dhcp',
  'network:floatingip_agent_gateway',
  'network:router_ha_interface',
  'network:floatingip',
];

const isAwaited = ({ deviceOwner }: Port): boolean => !unawaitedOwners.includes(deviceOwner);

/**
 * The port waits for the one who wires it on its host, if there is one: an agent that is registered there, dead or
 * alive, of a driver that attaches such ports. Not when it has reported already, nor when the same host must wire again
 * what it has wired before: then its word is awaited anyway.
 */
export function awaitL2(it: Unfolding, around: Surroundings): void {
  const { binding, round, earlyReports } = it.port;
  const { host, device } = binding;
  if (host === null || device !== 'unreported' || !isAwaited(it.port) || !canReport(it.port, around)) return;
  if (round.completed.some(({ entity }) => entity === l2) || earlyReports.some((report) => report.host === host))
    return;
  block(it, l2, wiringReason(host), host);
}

const wiringReason = (host: string): string => `bound to ${host}`;

/** Nobody is left on the host to report the port, which is attached there all the same. */
export function stopAwaitingL2InVain(it: Unfolding): void {
  const block = blockOf(it.port, l2);
  if (block?.host === undefined || block.reason !== wiringReason(block.host)) return; // somebody else's is theirs to lift
  lift(it, l2, `nobody is left on ${block.host} to report`);
}

/** Whether anybody can say that the port is wired where it is. */
export const canReport = ({ binding: { host, vnicType } }: Port, around: Surroundings): boolean =>
  around.drivers
    .filter((driver) => driver.vnicTypes.includes(vnicType))
    .some(
      ({ reporter, agentType }) =>
        reporter === 'back-end' || (host !== null && agentType !== null && around.agentOn(host, agentType) !== null),
    );

/** The host the port leaves, or one on which nobody is left, will not report any more. */
export function stopAwaitingL2(it: Unfolding, host: string | null, reason: string): void {
  if (host !== null && blockOf(it.port, l2)?.host === host) lift(it, l2, reason);
}

const dhcpReasons = { created: 'port created', changed: 'address changed' } as const;

/** A new port waits for DHCP where somebody can answer; where not, it says why it does not wait. */
export function awaitDhcpOfNew(it: Unfolding, around: Surroundings): void {
  const answer = dhcpAnswer(it.port, around);
  if (answer === null) return;
  if (answer.awaited) block(it, dhcp, dhcpReasons.created);
  else it.add({ type: 'ProvisioningComponentNotNeeded', data: { entity: dhcp, reason: answer.reason } });
}

/** The DHCP server must learn the new address. */
export function awaitDhcpOfChanged(it: Unfolding, around: Surroundings): void {
  const answer = dhcpAnswer(it.port, around);
  if (answer === null) return;
  if (answer.awaited) block(it, dhcp, dhcpReasons.changed);
  else lift(it, dhcp, answer.reason);
}

/** A block that nobody can lift any more is lifted: the agent was unscheduled, or DHCP was switched off. */
export function stopAwaitingDhcp(it: Unfolding, around: Surroundings): void {
  const reasons: readonly string[] = Object.values(dhcpReasons);
  if (!reasons.includes(blockOf(it.port, dhcp)?.reason ?? '')) return; // somebody else's block is theirs to lift
  // Whoever owns the port by now: one that nobody owns any more waits as vainly as the others.
  const answer = around.network
    ? dhcpServes(it.port, around.network)
    : { awaited: false, reason: 'the network is gone' };
  if (!answer.awaited) lift(it, dhcp, answer.reason);
}

interface DhcpAnswer {
  readonly awaited: boolean;
  readonly reason: string;
}

/** Whether DHCP will report the port; null where the question does not arise. */
const dhcpAnswer = (port: Port, { network }: Surroundings): DhcpAnswer | null =>
  isAwaited(port) && network ? dhcpServes(port, network) : null;

/** Whether somebody answers for the port's addresses. A dead agent counts: it may return. */
function dhcpServes(port: Port, network: Network): DhcpAnswer {
  if (port.fixedIps.length === 0) return { awaited: false, reason: 'it has no address' };
  const own = new Set(port.fixedIps.map(({ subnetId }) => subnetId));
  const served = network.subnets.some(({ id, enableDhcp }) => enableDhcp && own.has(id));
  if (!served) return { awaited: false, reason: 'DHCP is off on the subnets of its addresses' };
  if (network.dhcpAgents.length === 0)
    return { awaited: false, reason: `no DHCP agent serves the network ${network.id}` };
  return { awaited: true, reason: '' };
}
