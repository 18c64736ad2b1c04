import { readFile } from 'node:fs/promises';
import type { Server } from 'node:http';
import type { Server as HttpsServer } from 'node:https';
import { createSecureContext } from 'node:tls';
import fastify, { type FastifyHttpOptions, type FastifyHttpsOptions, type FastifyInstance } from 'fastify';

/** What a server proves by who it is. */
export interface Certificate {
  readonly cert: Buffer;
  readonly key: Buffer;
}

/** A server that speaks HTTPS with a certificate, and HTTP without one. To routes and hooks the two are alike. */
export function serverWith(
  certificate: Certificate | null,
  { http, ...options }: FastifyHttpOptions<Server>,
): FastifyInstance {
  if (!certificate) return fastify({ ...options, http: http ?? {} });
  const secure = { ...options, https: { ...http, ...certificate } } as unknown as FastifyHttpsOptions<HttpsServer>;
  return fastify(secure) as unknown as FastifyInstance;
}

/** @throws Error where a file cannot be read, is not PEM, or the key is not that of the certificate */
export async function readCertificate(certFile: string, keyFile: string): Promise<Certificate> {
  const [cert, key] = await Promise.all([readFile(certFile), readFile(keyFile)]);
  createSecureContext({ cert, key });
  return { cert, key };
}
