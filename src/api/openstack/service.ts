import { randomUUID } from 'node:crypto';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Role } from '../access/roles.ts';
import { undocumented } from '../openapi/openapi-routes.ts';
import { apiProblem, problemOf } from '../problems/problem.ts';
import { Fault, type FaultStyle } from './fault.ts';
import {
  type Microversion,
  type MicroversionScheme,
  negotiate,
  requested,
  textOf,
  versionHeaders,
} from './microversion.ts';
import type { Resources } from './resources.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** The version the request is answered in, on services that have microversions. */
    microversion: Microversion;
    /** The ledger as far as there is one for the caller. */
    readonly resources: Resources;
    /** `req-<uuid>`: told to the caller and kept with the events. */
    openStackRequestId: string;
  }
}

/** An OpenStack service as this server plays it: where it is, how it counts its versions, how it speaks of errors. */
export interface Service {
  /** As the catalogue and the clients call it, such as `baremetal`. */
  readonly type: string;
  readonly name: string;
  /** All its paths begin so. */
  readonly prefix: string;
  /** What clients are sent to: the prefix, or with a version where its clients expect one. */
  readonly endpoint: string;
  readonly faults: FaultStyle;
  readonly microversions?: MicroversionScheme;
}

/** A fault that was answered: for the log and the counters. */
export type NoteFailure = (request: FastifyRequest, status: number, error: unknown) => void;

export interface ServiceOptions {
  readonly noteFailure: NoteFailure;
  /** The methods of a path; none where there is no such path. */
  readonly methodsOf: (url: string) => readonly string[];
}

/** Options of a route for callers with a role. */
export const forRole = (needs: Role) => ({ schema: undocumented, config: { needs } });
/** Options of a route for everybody. */
export const forAll = { schema: undocumented, config: { needs: null } };

/** Some clients end the path of a collection with a slash. */
export const withSlash = (path: string): readonly string[] => [path, `${path}/`];

/** Registers a service. Whatever goes wrong under its prefix is told in its own words. */
export async function serve(
  app: FastifyInstance,
  service: Service,
  { noteFailure, methodsOf }: ServiceOptions,
  routes: (scope: FastifyInstance) => void,
): Promise<void> {
  await app.register(
    async (scope) => {
      scope.addHook('onRequest', async (request, reply) => {
        request.openStackRequestId = `req-${randomUUID()}`;
        reply.header('x-openstack-request-id', request.openStackRequestId);
        if (service.microversions) reply.headers(speakVersion(request, service.microversions));
      });
      scope.setErrorHandler((error, request, reply) => {
        const fault = error instanceof Fault ? error : inWordsOf(service, request, error);
        noteFailure(request, fault.status, error);
        return reply
          .code(fault.status)
          .headers(fault.headers)
          .type('application/json')
          .send(service.faults.body(fault));
      });
      scope.setNotFoundHandler((request) => {
        const path = request.url.split('?', 1)[0]!.slice(0, 200);
        const methods = methodsOf(request.url);
        if (methods.length === 0) throw apiProblem('unknown-path', `There is nothing at ${path}.`);
        const allow = methods.join(', ');
        throw apiProblem('method-not-allowed', `${path} knows ${allow}, not ${request.method}.`, {}, { allow });
      });
      scope.addContentTypeParser('*', { parseAs: 'buffer' }, takeNothing);
      routes(scope);
    },
    { prefix: service.prefix },
  );
}

/** Some clients name a type of content they do not send. What they do send is JSON. */
function takeNothing(request: FastifyRequest, body: string | Buffer, done: (error: Error | null) => void): void {
  const type = request.headers['content-type'];
  done(body.length === 0 ? null : apiProblem('unsupported-media-type', `${type} is not read here; JSON is.`));
}

function inWordsOf({ faults }: Service, request: FastifyRequest, error: unknown): Fault {
  const fault = faults.of(problemOf(error));
  if (fault.status !== 401) return fault;
  return new Fault(401, fault.kind, fault.message, {
    'www-authenticate': `Keystone uri="${baseUrl(request)}/identity"`,
  });
}

/** Takes the version the caller asks for; what the answer is to say of it, also where it is refused. */
function speakVersion(request: FastifyRequest, scheme: MicroversionScheme): Record<string, string> {
  const text = requested(request.headers, scheme);
  request.microversion = negotiate(text, scheme);
  return versionHeaders(textOf(request.microversion), scheme);
}

const hostAndPort = /^([\w.-]+|\[[\da-f:.]+\])(:\d{1,5})?$/i;

/** Where the caller sees this server, for links. A proxy that ends TLS says so. */
export function baseUrl({ headers, protocol, socket }: FastifyRequest): string {
  const forwarded = String(headers['x-forwarded-proto'] ?? '');
  const { host = '' } = headers;
  const reached = hostAndPort.test(host) ? host : `localhost:${socket.localPort}`;
  return `${/^https?$/.test(forwarded) ? forwarded : protocol}://${reached}`;
}
