import type { FastifyRequest } from 'fastify';
import type { Audience } from '../../../domain/server/audience.ts';
import { knows } from './faults.ts';

/**
 * The first version with the word PENDING: the one after those of the release that the state was tried out on. To all
 * before it a server that waits for capacity is in ERROR.
 */
const pendingSince = 94;

export const audienceOf = (request: FastifyRequest): Audience =>
  knows(request, pendingSince) ? 'knows-pending' : 'predates-pending';
