import { randomUUID } from 'node:crypto';
import { setMaxListeners } from 'node:events';
import type { IncomingMessage } from 'node:http';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { z } from 'zod';
import type { Aggregate } from '../domain/kernel/aggregate.ts';
import type { Kind } from '../domain/kernel/resource.ts';
import type { PortSettings } from '../domain/port/drivers/configured.ts';
import type { Views } from '../projections/views.ts';
import type { Runtime } from '../runtime/runtime.ts';
import type { EventStore } from '../store/event-store.ts';
import type { Audit } from './access/audit.ts';
import type { Identify } from './access/auth.ts';
import { bulkRoute } from './commands/bulk.ts';
import type { BulkLimits } from './commands/bulk-exchange.ts';
import { clockRoute } from './commands/clock.ts';
import { CommandGate } from './commands/command-gate.ts';
import { commandRoutes } from './commands/commands.ts';
import { type AdmissionLimits, admitWithin, headerPatience } from './http/admission.ts';
import type { EventStreamSettings } from './http/event-stream.ts';
import type { Log } from './http/log.ts';
import { PathTable, pathOf } from './http/methods.ts';
import { healthRoutes, type ReadinessCheck } from './monitoring/health.ts';
import type { Metrics } from './monitoring/metrics.ts';
import { openApiRoute } from './openapi/openapi.ts';
import { Fault } from './openstack/fault.ts';
import { openstackRoutes } from './openstack/routes.ts';
import { consoleRoutes } from './pages/console.ts';
import { pageRoutes } from './pages/pages.ts';
import { parseJson } from './problems/json-text.ts';
import { apiProblem, flawsOf, invalidRequest, problemOf, sendProblem } from './problems/problem.ts';
import { allProblemTypes, apiProblems } from './problems/problem-types.ts';
import { rawProblem } from './problems/raw-problem.ts';
import { doctorRoute } from './reads/doctor.ts';
import { eventRoutes } from './reads/events.ts';
import { historyRoutes } from './reads/history.ts';
import { listRoutes } from './reads/lists.ts';
import { operationRoute } from './reads/operations.ts';
import { PositionWait } from './reads/position-wait.ts';
import { ReadModels } from './reads/read-models.ts';
import { readRoutes } from './reads/read-routes.ts';
import { Reads } from './reads/reads.ts';
import { commandProblem } from './schemas/command-schemas.ts';
import './access/request.ts';
import { guardRoutes } from './access/route-guard.ts';
import type { TokensFile } from './access/tokens.ts';
import { type Certificate, serverWith } from './http/tls.ts';
import { resourceRoutes } from './reads/resources.ts';
import { whyRoutes } from './reads/why.ts';

export interface ApiOptions {
  readonly runtime: Runtime;
  readonly store: EventStore;
  /** The read models, once they are open. */
  readonly views: Promise<Views>;
  readonly aggregates: Readonly<Record<Kind, Aggregate>>;
  /** The site's mechanism drivers, where it has named some. */
  readonly settings: PortSettings;
  readonly metrics: Metrics;
  readonly identify: Identify;
  readonly audit: Audit;
  /** Serves HTTPS with it; plain HTTP where there is none. */
  readonly certificate: Certificate | null;
  /** Who may log in now on the OpenStack paths; null where everybody may. */
  readonly accounts: (() => TokensFile) | null;
  readonly readiness: readonly ReadinessCheck[];
  readonly version: string;
  /** Settles when all that follows from what has happened so far has followed. */
  readonly settled: () => Promise<void>;
  readonly maxBodyBytes: number;
  readonly maxInFlight: number;
  readonly admission: Omit<AdmissionLimits, 'maxBodyBytes'>;
  readonly readWaitMs: number;
  readonly bulk: Omit<BulkLimits, 'maxLineBytes'>;
  readonly streams: EventStreamSettings;
  readonly log: Log;
}

/** Everything that is answered over HTTP, on a server that does not listen yet. */
export async function buildApi(options: ApiOptions): Promise<FastifyInstance> {
  const { runtime, store, metrics, maxBodyBytes } = options;
  const aggregates = Object.values(options.aggregates);
  const app = serverWith(options.certificate, {
    genReqId: requestIds(),
    bodyLimit: maxBodyBytes,
    return503OnClosing: false,
    forceCloseConnections: 'idle',
    requestTimeout: 0,
    http: headerPatience(options.admission),
    routerOptions: { maxParamLength: 1024 },
    clientErrorHandler: rawProblem,
    frameworkErrors: (error, request, reply) => sendProblem(request, reply, problemOf(error)),
  });

  const paths = new PathTable(app);
  const stopping = new AbortController();
  setMaxListeners(0, stopping.signal); // every event stream listens to it
  app.addHook('preClose', async () => stopping.abort());
  app.addHook('onClose', async () => metrics.close());
  admitWithin(app, { ...options.admission, maxBodyBytes });
  readJsonOnly(app);
  checkWithZod(app, options.aggregates);
  const gate = new CommandGate({ ...options, maxInFlight: options.maxInFlight });
  guardRoutes(app, options.identify, gate.scope);
  countAnswers(app, options);
  app.setErrorHandler((error, request, reply) => answerProblem(error, request, reply, options));
  answerUnknownPaths(app, paths);
  await openApiRoute(app, options.version);

  const positions = new PositionWait(() => store.head(), options.readWaitMs);
  const readModels = new ReadModels(options.views, options.readWaitMs);
  const subscriptions = {
    streams: options.streams,
    stopping: stopping.signal,
    onSubscriber: (change: 1 | -1) => metrics.subscribersChanged(change),
    log: options.log,
  };
  const reads = new Reads({ ...subscriptions, readModels });
  metrics.watch('commands_in_flight', 'Commands worked on now.', () => gate.inFlight);

  commandRoutes(app, aggregates, gate);
  bulkRoute(app, {
    aggregates,
    gate,
    log: options.log,
    audit: options.audit,
    limits: { ...options.bulk, maxLineBytes: maxBodyBytes },
    stopping: stopping.signal,
  });
  resourceRoutes(app, { aggregates, gate, store, positions, reads });
  listRoutes(app, aggregates, reads);
  readRoutes(app, aggregates, reads);
  operationRoute(app, readModels);
  historyRoutes(app, { aggregates, store, positions });
  whyRoutes(app, { ...options, gate, positions, readModels });
  doctorRoute(app, { ...options, gate, positions, readModels });
  eventRoutes(app, { ...subscriptions, aggregates, gate, store, positions });
  clockRoute(app, runtime.clock, options.settled);
  healthRoutes(app, { metrics, readiness: options.readiness });
  await openstackRoutes(app, {
    ...options,
    gate,
    readModels,
    noteFailure: (request, status, error) => noteFailure(error, status, request, options),
    methodsOf: (url) => paths.methodsOf(url),
  });
  pageRoutes(app, allProblemTypes(aggregates));
  await consoleRoutes(app, { kinds: aggregates.map(({ kind }) => kind) });
  return app;
}

/** Bodies are JSON, read so that nothing is bent on the way. */
function readJsonOnly(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (request, body, done) => {
    try {
      const encoding = request.headers['content-encoding'];
      if (encoding !== undefined && encoding !== 'identity') {
        throw apiProblem('unsupported-media-type', `The content encoding ${encoding} is not read here.`);
      }
      done(null, parseJson(body as Buffer));
    } catch (error) {
      done(error as Error);
    }
  });
}

/** Queries and bodies are checked; path parameters and headers are where they are used, and only described here. */
function checkWithZod(app: FastifyInstance, aggregates: Readonly<Record<string, Aggregate>>): void {
  app.setSerializerCompiler(() => JSON.stringify);
  app.setValidatorCompiler<z.ZodType>(({ schema, httpPart, url }) => {
    if (httpPart === 'params' || httpPart === 'headers') return (value) => ({ value });
    const part = httpPart === 'querystring' ? 'query' : 'body';
    const commanded = /^\/v1\/(\w+)s\/:id\/commands$/.exec(url ?? '')?.[1];
    const aggregate = commanded === undefined ? undefined : aggregates[commanded];
    return (value) => {
      const parsed = schema.safeParse(value);
      if (parsed.success) return { value: parsed.data };
      const error = aggregate
        ? commandProblem(aggregate, value, parsed.error)
        : invalidRequest(flawsOf(part, parsed.error.issues));
      return { error };
    };
  });
}

/** Counts what is answered when the handler has done its part: a listener for the end of each answer would cost more. */
function countAnswers(app: FastifyInstance, { metrics, log }: ApiOptions): void {
  app.decorateRequest('receivedAt', 0);
  app.addHook('onRequest', (request, _reply, done) => {
    request.receivedAt = performance.now();
    done();
  });
  app.addHook('onRoute', (route) => {
    const { handler, url } = route;
    route.handler = async function counted(request, reply) {
      const answer: unknown = await handler.call(this, request, reply);
      count(request, reply.statusCode, url, metrics, log);
      return answer;
    };
  });
}

function count(request: FastifyRequest, status: number, route: string, metrics: Metrics, log: Log): void {
  const { method, url, receivedAt, id: requestId } = request;
  const milliseconds = performance.now() - receivedAt;
  metrics.answered(method, route, status, milliseconds / 1000);
  if (log.isDebug) log.debug('answered', { requestId, method, url: pathOf(url), status, milliseconds });
}

function answerProblem(
  error: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
  options: Pick<ApiOptions, 'metrics' | 'log' | 'audit'>,
): FastifyReply {
  const problem = problemOf(error);
  noteFailure(error, problem.type.status, request, options);
  return sendProblem(request, reply, problem);
}

/** Faults of this program are logged; callers' mistakes are counted, and what they were refused is written down. */
function noteFailure(
  error: unknown,
  status: number,
  request: FastifyRequest,
  { metrics, log, audit }: Pick<ApiOptions, 'metrics' | 'log' | 'audit'>,
): void {
  audit.ended(request, status, error instanceof Fault ? error.kind : problemOf(error).slug);
  if (status === apiProblems['internal-error'].status) log.error('request failed', { requestId: request.id, error });
  count(request, status, request.routeOptions.url ?? 'unknown', metrics, log);
}

/** Ids for requests that bring none: unlike those of any other process. */
function requestIds(): (request: IncomingMessage) => string {
  const process = randomUUID();
  let requests = 0;
  return ({ headers }) => String(headers['x-request-id'] ?? '').slice(0, 255) || `${process}-${++requests}`;
}

function answerUnknownPaths(app: FastifyInstance, paths: PathTable): void {
  app.setNotFoundHandler((request, reply) => {
    const { method, url } = request;
    const methods = paths.methodsOf(url);
    if (methods.length === 0) {
      throw apiProblem('unknown-path', `There is nothing at ${url.slice(0, 200)}; /docs shows what there is.`);
    }
    const allow = [...methods, 'OPTIONS'].join(', ');
    if (method === 'OPTIONS') return reply.code(204).header('allow', allow).send();
    throw apiProblem('method-not-allowed', `This path knows ${allow}, not ${method}.`, { allowed: methods }, { allow });
  });
}
