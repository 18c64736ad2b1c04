import type { Problem } from '../../problems/problem.ts';
import { Fault } from '../fault.ts';
import { type MicroversionScheme, microversion, textOf, versionHeaders } from '../microversion.ts';
import type { Service } from '../service.ts';

const ownHeader = 'X-OpenStack-Ironic-API-Version';
const least = microversion('1.1');
const most = microversion('1.115');
const range = {
  'X-OpenStack-Ironic-API-Minimum-Version': textOf(least),
  'X-OpenStack-Ironic-API-Maximum-Version': textOf(most),
};

export const microversions: MicroversionScheme = {
  service: 'baremetal',
  ownHeader,
  least,
  most,
  announced: range,
  malformed: (text) => new Fault(406, 'NotAcceptable', `"${text}" is not a version of this API, such as 1.78.`, range),
  unsupported: (text, scheme) =>
    new Fault(
      406,
      'NotAcceptable',
      `This service speaks versions ${textOf(least)} to ${textOf(most)}, not ${text}.`,
      versionHeaders(text, scheme),
    ),
};

/** The status of each of Ironic's faults, where it is another than that of the refusal. */
const statuses: Readonly<Record<string, number>> = {
  InvalidStateRequested: 400,
  NodeInMaintenance: 400,
  NodeIsRetired: 400,
  NodeProtected: 403,
  UnsupportedDriverExtension: 400,
  NodeNotFound: 404,
};

const named: Readonly<Record<string, string>> = {
  unauthenticated: 'Unauthorized',
  'role-missing': 'HTTPForbidden',
  'unknown-path': 'NotFound',
  'invalid-request': 'InvalidParameterValue',
  'invalid-json': 'InvalidParameterValue',
  'too-many-commands': 'TemporaryFailure',
  'too-many-requests': 'TemporaryFailure',
};

/** Without `Retry-After`: Ironic's own client breaks down over it. It comes again by itself. */
function faultOf({ slug, type, message, help, headers }: Problem): Fault {
  const kind = typeof help.ironic === 'string' ? help.ironic : (named[slug] ?? 'IronicException');
  const { 'retry-after': _, ...kept } = headers;
  return new Fault(statuses[kind] ?? type.status, kind, message, kept);
}

export const baremetal: Service = {
  type: 'baremetal',
  name: 'ironic',
  prefix: '/baremetal',
  endpoint: '/baremetal',
  microversions,
  faults: {
    of: faultOf,
    /** Ironic's clients expect JSON text within the JSON. The fault's name, which Ironic keeps to itself, stands beside. */
    body: ({ status, kind, message }) => ({
      error_message: JSON.stringify({
        faultcode: status < 500 ? 'Client' : 'Server',
        faultstring: message,
        debuginfo: null,
        fault: kind,
      }),
    }),
  },
};
