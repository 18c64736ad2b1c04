import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { passingProblem } from '../problems/problem.ts';
import { SlowBodies } from './slow-bodies.ts';

export interface AdmissionLimits {
  readonly maxConnections: number;
  /** Reads worked on at the same time. Commands have a limit of their own. */
  readonly maxReadsInFlight: number;
  /** How long the headers of a request may take to arrive, and its body after them. */
  readonly receiveMs: number;
  readonly maxBodyBytes: number;
}

/** Served however busy the rest is: how the server is, must be asked most urgently then. */
const alwaysServed = new Set(['/livez', '/readyz', '/metrics']);

/** Bodies up to this length are many and cost little; the others share `roomForLargeBodies`. */
const largeBodyBytes = 65_536;
const roomForLargeBodies = 128 * 1_048_576;

/** Bodies that are read as they come, for as long as the caller likes. */
const isStreamed = ({ 'content-type': type }: FastifyRequest['headers']): boolean =>
  type?.startsWith('application/x-ndjson') === true;

/**
 * Turns away what the process cannot stand, before it costs anything: more connections, reads or large bodies at a time
 * than are allowed, and requests that never end. Call it before there are routes.
 */
export function admitWithin(app: FastifyInstance, limits: AdmissionLimits): void {
  app.server.maxConnections = limits.maxConnections;
  limitReads(app, limits.maxReadsInFlight);
  limitBodies(app, limits);
}

/** For Node, which watches over the headers. It looks that often whether they are late. */
export const headerPatience = ({ receiveMs }: Pick<AdmissionLimits, 'receiveMs'>) => ({
  headersTimeout: receiveMs,
  connectionsCheckingInterval: Math.min(receiveMs / 4, 1_000),
});

/** A connection may send many requests without waiting for answers, so that connections alone limit nothing. */
function limitReads(app: FastifyInstance, most: number): void {
  let inFlight = 0;
  app.addHook('onRoute', (route) => {
    const { handler, url, method } = route;
    if (![method].flat().includes('GET') || alwaysServed.has(url)) return;
    route.handler = async function admitted(request, reply) {
      if (inFlight >= most) {
        throw passingProblem('too-many-requests', `${most} reads are being answered; no more are taken.`);
      }
      inFlight++;
      try {
        return await handler.call(this, request, reply);
      } finally {
        inFlight--;
      }
    };
  });
}

function limitBodies(app: FastifyInstance, { receiveMs, maxBodyBytes }: AdmissionLimits): void {
  const slowBodies = new SlowBodies(receiveMs);
  app.addHook('onReady', async () => slowBodies.start());
  app.addHook('onClose', async () => slowBodies.stop());

  let taken = 0;
  const takeRoom = (bytes: number, reply: FastifyReply): void => {
    if (bytes <= largeBodyBytes) return;
    if (taken + bytes > roomForLargeBodies) {
      throw passingProblem('too-many-requests', 'Too many large bodies are being taken in at the same time.');
    }
    taken += bytes;
    reply.raw.once('close', () => {
      taken -= bytes;
    });
  };

  app.addHook('preParsing', (request, reply, payload, done) => {
    const { headers } = request;
    const length = headers['content-length'];
    const hasBody = length !== undefined || headers['transfer-encoding'] !== undefined;
    if (!hasBody || isStreamed(headers)) return done(null, payload);
    try {
      // A body that is too long is not taken in; of one that does not say, the most must be expected.
      takeRoom(Math.min(Number(length ?? maxBodyBytes), maxBodyBytes), reply);
      slowBodies.expect(request, reply);
      done(null, payload);
    } catch (error) {
      done(error as Error);
    }
  });
}
