import { hash, randomUUID } from 'node:crypto';
import type { FastifyRequest } from 'fastify';

/** A UUID that follows from a text. */
export function uuidFrom(text: string): string {
  const digest = hash('sha1', text, 'hex');
  return `${digest.slice(0, 8)}-${digest.slice(8, 12)}-5${digest.slice(13, 16)}-8${digest.slice(17, 20)}-${digest.slice(20, 32)}`;
}

/**
 * The id of something that a request makes, or of the one with that number among several. With an `Idempotency-Key` every
 * try of the request means the same thing, so that it is made once.
 */
export function newId({ headers, caller, routeOptions }: FastifyRequest, number = 0): string {
  const key = headers['idempotency-key'];
  if (key === undefined) return randomUUID();
  const { id, projectId = null } = caller.actor;
  return uuidFrom(JSON.stringify([id, projectId, routeOptions.url, key, number]));
}
