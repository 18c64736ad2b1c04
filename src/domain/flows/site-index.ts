/**
 * Which resources an event about another one concerns. Lists may name too many: each resource decides for itself, and
 * those that find nothing to do leave no event. They should not miss one for long; what they miss in a race between two
 * events is found by the reaction to the other event.
 */
export interface SiteIndex {
  /** Ports whose binding on the host is binding_failed. */
  portsFailedOn(host: string): readonly string[];
  /** Ports that are blocked by `L2` of the host. */
  portsAwaitingL2On(host: string): readonly string[];
  /** Ports of the network that are blocked by `DHCP`. */
  portsAwaitingDhcpOf(networkId: string): readonly string[];
  /** Networks that the host's DHCP agent serves. */
  networksServedFrom(host: string): readonly string[];
}
