import type { Related } from '../kernel/aggregate.ts';
import type { ResourceRef } from '../kernel/resource.ts';
import type { ProvisionState } from '../node/provision-machine.ts';
import type { Flow, FlowCommand, FlowEvent } from './flow.ts';

/**
 * Which resources an event about another one concerns. The answer may name too many: each decides for itself, and one
 * that finds nothing to do leaves no event. It should be as new as the event; what it misses in a race between two events
 * is found by the reaction to the other one.
 */
export type Search =
  | { readonly kind: 'port'; readonly host: string; readonly vifType: 'binding_failed' }
  | { readonly kind: 'port'; readonly host: string; readonly blockedBy: 'L2' }
  | { readonly kind: 'port'; readonly networkId: string; readonly blockedBy: 'DHCP' }
  | { readonly kind: 'network'; readonly dhcpHost: string }
  | { readonly kind: 'node'; readonly conductor: string }
  | { readonly kind: 'node'; readonly provisionStates: readonly ProvisionState[] }
  | { readonly kind: 'agent'; readonly type: string };

/** A process manager whose event says whom it concerns only to those who look for them. */
export interface SearchingFlow extends Omit<Flow, 'react'> {
  /** Empty where the event itself says whom it concerns. */
  readonly search: (event: FlowEvent, related: Related) => readonly Search[];
  /** `found`: what the searches have found, in their order. */
  readonly react: (event: FlowEvent, related: Related, found: readonly ResourceRef[]) => readonly FlowCommand[];
}
