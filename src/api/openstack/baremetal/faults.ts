import type { FastifyRequest } from 'fastify';
import { Fault } from '../fault.ts';
import { textOf } from '../microversion.ts';

export const invalid = (message: string): Fault => new Fault(400, 'InvalidParameterValue', message);

export const notFound = (ident: string): Fault => new Fault(404, 'NodeNotFound', `There is no node ${ident}.`);

/** @throws Fault where the caller speaks a version from before something was there; minors of version 1 */
export function requireMinor({ microversion }: FastifyRequest, minor: number, what: string): void {
  if (microversion.minor >= minor) return;
  const detail = `${what} came with version 1.${minor}; this request is in ${textOf(microversion)}.`;
  throw new Fault(406, 'NotAcceptable', detail);
}
