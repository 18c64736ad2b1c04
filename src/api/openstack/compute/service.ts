import type { Problem } from '../../problems/problem.ts';
import { Fault } from '../fault.ts';
import { type MicroversionScheme, microversion, textOf, versionHeaders } from '../microversion.ts';
import type { Service } from '../service.ts';

export const microversions: MicroversionScheme = {
  service: 'compute',
  ownHeader: 'X-OpenStack-Nova-API-Version',
  least: microversion('2.1'),
  most: microversion('2.104'),
  malformed: (text) =>
    new Fault(
      400,
      'badRequest',
      `API Version String ${text} is of invalid format. Must be of format MajorNum.MinorNum.`,
    ),
  unsupported: (text, scheme) =>
    new Fault(
      406,
      'computeFault',
      `Version ${text} is not supported by the API. Minimum is ${textOf(scheme.least)} and maximum is ${textOf(scheme.most)}.`,
      versionHeaders(text, scheme),
    ),
};

/** The word under which Nova's error bodies put each status. */
const kinds: Readonly<Record<number, string>> = {
  400: 'badRequest',
  401: 'unauthorized',
  403: 'forbidden',
  404: 'itemNotFound',
  405: 'badMethod',
  409: 'conflictingRequest',
  413: 'overLimit',
  415: 'badMediaType',
  429: 'overLimit',
  501: 'notImplemented',
  503: 'serviceUnavailable',
};

/** Nova knows no 410, 412 or 422: what is gone is not found, and what moved on is a conflict. */
const statuses: Readonly<Record<number, number>> = { 410: 404, 412: 409, 422: 409 };

function faultOf({ type, message, headers }: Problem): Fault {
  const status = statuses[type.status] ?? type.status;
  return new Fault(status, kinds[status] ?? 'computeFault', message, headers);
}

export const compute: Service = {
  type: 'compute',
  name: 'nova',
  prefix: '/compute',
  endpoint: '/compute/v2.1',
  microversions,
  faults: {
    of: faultOf,
    body: ({ status, kind, message }) => ({ [kind]: { code: status, message } }),
  },
};
