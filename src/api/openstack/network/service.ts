import type { Problem } from '../../problem.ts';
import { Fault } from '../fault.ts';
import type { Service } from '../service.ts';

/** Neutron's name for each status, where the refusal has none of its own. */
const kinds: Readonly<Record<number, string>> = {
  400: 'HTTPBadRequest',
  401: 'HTTPUnauthorized',
  403: 'HTTPForbidden',
  404: 'HTTPNotFound',
  405: 'HTTPMethodNotAllowed',
  409: 'HTTPConflict',
  412: 'HTTPPreconditionFailed',
  503: 'HTTPServiceUnavailable',
};

function faultOf({ type, message, headers }: Problem): Fault {
  const status = type.status === 410 ? 404 : type.status;
  return new Fault(status, kinds[status] ?? 'HTTPInternalServerError', message, headers);
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
