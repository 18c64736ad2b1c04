import type { FastifyRequest } from 'fastify';
import type { Obstacle } from '../../../domain/server/guards.ts';
import { Fault } from '../fault.ts';

export const badRequest = (message: string): Fault => new Fault(400, 'badRequest', message);

export const notFound = (message: string): Fault => new Fault(404, 'itemNotFound', message);

export const serverNotFound = (id: string): Fault => notFound(`Instance ${id} could not be found.`);

/** Whether the caller speaks a version that has what came with this minor of version 2. */
export const knows = ({ microversion }: FastifyRequest, minor: number): boolean => microversion.minor >= minor;

export const conflict = (message: string): Fault => new Fault(409, 'conflictingRequest', message);

/** What Nova says of some obstacles; of all others it names the state that is in the way. */
const sentences: Readonly<Partial<Record<Obstacle['attribute'], (id: string) => string>>> = {
  locked: (id) => `Instance ${id} is locked`,
  host: (id) => `Instance ${id} is not ready`,
};

/** What Nova says when a server's state forbids an action. */
export function obstructed(id: string, verb: string, { attribute, state }: Omit<Obstacle, 'slug'>): Fault {
  const sentence = sentences[attribute];
  if (sentence) return conflict(sentence(id));
  return conflict(
    state === null
      ? `Instance ${id} is in an invalid state for '${verb}'`
      : `Cannot '${verb}' instance ${id} while it is in ${attribute} ${state}`,
  );
}

/** The same out of a refusal of the rules; null where it is about something else. */
export function inTheWay(id: string, help: Readonly<Record<string, unknown>>): Fault | null {
  const { action, attribute, state } = help as Partial<Obstacle> & { readonly action?: string };
  return action !== undefined && attribute !== undefined && state !== undefined
    ? obstructed(id, action, { attribute, state })
    : null;
}
