import type { FastifyRequest } from 'fastify';
import type { Guard, Obstacle } from '../../../domain/server/guards.ts';
import { Fault } from '../fault.ts';

export const badRequest = (message: string): Fault => new Fault(400, 'badRequest', message);

export const notFound = (message: string): Fault => new Fault(404, 'itemNotFound', message);

export const serverNotFound = (id: string): Fault => notFound(`Instance ${id} could not be found.`);

/** Whether the caller speaks a version that has what came with this minor of version 2. */
export const knows = ({ microversion }: FastifyRequest, minor: number): boolean => microversion.minor >= minor;

/** What Nova says when a server's state forbids an action. */
export function obstructed({ id }: { readonly id: string }, { verb }: Guard, { attribute, state }: Obstacle): Fault {
  const message =
    state === null
      ? `Instance ${id} is in an invalid state for '${verb}'`
      : `Cannot '${verb}' instance ${id} while it is in ${attribute} ${state}`;
  return new Fault(409, 'conflictingRequest', message);
}
