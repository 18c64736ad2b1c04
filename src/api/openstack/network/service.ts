import type { Problem } from '../../problems/problem.ts';
import { Fault } from '../fault.ts';
import type { Service } from '../service.ts';

/** Neutron's name for each status, where the refusal has none of its own. */
const kinds: Readonly<Record<number, string>> = {
  400: 'HTTPBadRequest',
  401: 'HTTPUnauthorized',
  403: 'PolicyNotAuthorized',
  404: 'HTTPNotFound',
  405: 'HTTPMethodNotAllowed',
  409: 'HTTPConflict',
  412: 'RevisionNumberConstraintFailed',
  503: 'HTTPServiceUnavailable',
};

/** Neutron's name for what the rules refuse, and its status where that is another. */
const refusals: Readonly<Record<string, readonly [kind: string, status?: number]>> = {
  'invalid-request': ['InvalidInput'],
  'port-not-found': ['PortNotFound'],
  'port-deleted': ['PortNotFound'],
  'port-bound': ['PortBound'],
  'port-in-use': ['PortInUse'],
  'bindings-not-supported': ['BadRequest'],
  'binding-exists': ['PortBindingAlreadyExists'],
  'binding-not-found': ['PortBindingNotFound'],
  'binding-active': ['PortBindingAlreadyActive'],
  // A failure of its own to Neutron (500); here nothing has failed but the binding.
  'binding-failed': ['PortBindingError', 400],
  'network-not-found': ['NetworkNotFound'],
  'network-deleted': ['NetworkNotFound'],
  'subnet-not-found': ['SubnetNotFound'],
  'subnet-exists': ['InvalidInput', 400],
  'segment-not-found': ['SegmentNotFound'],
  'agent-not-found': ['AgentNotFound'],
  'agent-deleted': ['AgentNotFound'],
  'dhcp-agent-not-found': ['AgentNotFound'],
};

function faultOf({ slug, type, message, headers }: Problem): Fault {
  const [kind, status = type.status === 410 ? 404 : type.status] = refusals[slug] ?? [];
  return new Fault(status, kind ?? kinds[status] ?? 'HTTPInternalServerError', message, headers);
}

export const network: Service = {
  type: 'network',
  name: 'neutron',
  prefix: '/network',
  endpoint: '/network',
  faults: {
    of: faultOf,
    body: ({ kind, message }) => ({ NeutronError: { type: kind, message, detail: '' } }),
  },
};
