import type { FastifyRequest } from 'fastify';
import type { Aggregate } from '../../domain/kernel/aggregate.ts';
import type { JsonObject } from '../../domain/kernel/json.ts';
import { type Kind, type ResourceRef, streamOf } from '../../domain/kernel/resource.ts';
import type { ListQuery } from '../../projections/queries.ts';
import type { Done } from '../../runtime/command.ts';
import type { EventStore, RecordedEvent } from '../../store/event-store.ts';
import { type Caller, requireRole, within } from '../access/auth.ts';
import { roleForCommand } from '../access/roles.ts';
import type { CommandGate } from '../commands/command-gate.ts';
import { commandOf } from '../commands/command-of.ts';
import { type CommandHeaders, commandHeaders } from '../http/headers.ts';
import { type Flaw, flawsOf, invalidRequest, refusalProblem } from '../problems/problem.ts';
import type { ReadModels } from '../reads/read-models.ts';
import { requireId } from '../schemas/command-schemas.ts';
import type { Fault } from './fault.ts';

/** A state as people see it. Each service knows its own kinds' fields. */
export type State = Readonly<Record<string, unknown>> & { readonly id: string; readonly deletedAt?: string };

/** A command that was carried out, with the state as people see it. */
export type DoneTo<S extends State> = Omit<Done, 'state'> & { readonly state: S };

export interface ResourcesOptions {
  readonly gate: CommandGate;
  readonly store: EventStore;
  readonly aggregates: Readonly<Record<Kind, Aggregate>>;
  readonly readModels: ReadModels;
}

const scanPage = 1000;

/**
 * The ledger as the OpenStack paths use it, and as far as there is one for a caller: commands and single resources through
 * the runtime, lists from the read models.
 */
export class Resources {
  readonly #options: ResourcesOptions;
  readonly #caller: Caller;

  constructor(options: ResourcesOptions, caller: Caller) {
    this.#options = options;
    this.#caller = caller;
  }

  /**
   * Gives a command on behalf of the caller, with what the headers of the request say of it.
   *
   * @example
   * const { state } = await resources.command(request, { kind: 'port', id }, 'UpdatePort', { name: 'web-1' });
   * @param ifRevision what the data was made of, where it rests on that; a caller's own `If-Match` goes before it
   * @throws Problem where the caller's role does not allow it, the data is malformed, or the rules refuse it
   */
  async command<S extends State = State>(
    request: FastifyRequest,
    resource: ResourceRef,
    type: string,
    data: object = {},
    ifRevision?: number,
  ): Promise<DoneTo<S>> {
    const headers = commandHeaders(request.headers);
    return this.#give<S>(request, resource, type, data, {
      ...(ifRevision !== undefined && { ifRevision, asked: askedIn(request) }),
      ...headers,
    });
  }

  /**
   * What a change that is made of what was read came to, where the request is a retry of it: made anew of what is there now it
   * would be another change, or none. Null where it is the first.
   */
  async earlier<S extends State = State>(
    request: FastifyRequest,
    resource: ResourceRef,
    type: string,
  ): Promise<DoneTo<S> | null> {
    const { key } = commandHeaders(request.headers);
    if (key === undefined) return null;
    requireRole(this.#caller, roleForCommand(type));
    const command = commandOf(resource, { type, data: {} }, this.#caller, { key, asked: askedIn(request) });
    const done = await this.#options.gate.earlier(command, this.#caller);
    return done as Omit<Done, 'state'> as DoneTo<S> | null;
  }

  /** One of several commands to perhaps one resource: a request's key is for all of them, so each has its number with it. */
  async commandPart(
    request: FastifyRequest,
    resource: ResourceRef,
    type: string,
    data: object,
    number: number,
  ): Promise<void> {
    const { key, ...headers } = commandHeaders(request.headers);
    await this.#give(request, resource, type, data, { ...headers, ...(key && { key: `${key} ${number}` }) });
  }

  /** Undoes what the request has done so far: what its headers say is of that, not of this. */
  async takeBack(request: FastifyRequest, resource: ResourceRef, type: string): Promise<void> {
    await this.#give(request, resource, type, {}, {});
  }

  async #give<S extends State>(
    request: FastifyRequest,
    resource: ResourceRef,
    type: string,
    data: object,
    headers: CommandHeaders & { readonly asked?: object },
  ): Promise<DoneTo<S>> {
    const { gate, aggregates } = this.#options;
    request.attempted = { ...resource, type };
    requireRole(this.#caller, roleForCommand(type));
    requireId(aggregates[resource.kind], resource.id, 'body');
    const parsed = this.parse(resource.kind, type, data);
    const said = { ...headers, ...requestIds(request) };
    const outcome = await gate.execute(commandOf(resource, { type, data: parsed }, this.#caller, said), this.#caller);
    if (outcome.outcome === 'refused') throw refusalProblem(outcome.refusal, outcome.revision);
    return outcome as Omit<Done, 'state'> as DoneTo<S>;
  }

  /** A command's data by its schema. @throws Problem where it is malformed */
  parse(kind: Kind, type: string, data: object): object {
    const parsed = this.#options.aggregates[kind].commands[type]!.safeParse(data);
    if (!parsed.success) throw invalidRequest(flawsOf('body', parsed.error.issues).map(inSnakeCase));
    return parsed.data as object;
  }

  /** A resource as it is; null where there is none, or it was deleted. */
  async find<S extends State = State>(resource: ResourceRef): Promise<S | null> {
    if (!this.#options.aggregates[resource.kind].id.safeParse(resource.id).success) return null;
    const { gate } = this.#options;
    if (!(await gate.scope.sees(this.#caller, resource))) return null;
    const current = await gate.current(resource);
    return current && current.deletedAt === undefined ? (current.state as JsonObject as unknown as S) : null;
  }

  /** A resource as it is. @throws Fault as the service words it, where there is none or it was deleted */
  async existing<S extends State = State>(resource: ResourceRef, missing: () => Fault): Promise<S> {
    const found = await this.find<S>(resource);
    if (found) return found;
    throw missing();
  }

  /** What was recorded of a resource, oldest first; of a deleted one as well. */
  async *events(resource: ResourceRef): AsyncGenerator<RecordedEvent, void, undefined> {
    const { gate, store } = this.#options;
    if (await gate.scope.sees(this.#caller, resource)) yield* store.readStream(streamOf(resource));
  }

  /** All resources that answer to a query, page by page: what was written before the call is in it. */
  async *list<S extends State = State>(query: ListQuery): AsyncGenerator<S, void, undefined> {
    const { readModels, store } = this.#options;
    const position = await store.head();
    for (let marker = query.marker, more = true; more; ) {
      const ask: ListQuery = within(this.#caller, {
        limit: scanPage,
        ...query,
        ...(marker !== undefined && { marker }),
      });
      const { value: page } = await readModels.ask('list', ask, position);
      for (const { viewText } of page.items) yield JSON.parse(viewText) as S;
      more = page.next !== null;
      marker = page.next ?? undefined;
    }
  }

  /** The first resources of a list that the read models cannot choose on their own; `more` where there are others. */
  async page<S extends State = State>(
    query: ListQuery,
    limit: number,
    isWanted: (state: S) => boolean = () => true,
  ): Promise<{ readonly items: S[]; readonly more: boolean }> {
    const items: S[] = [];
    for await (const state of this.list<S>({ ...query, limit: Math.min(limit + 1, scanPage) })) {
      if (!isWanted(state)) continue;
      if (items.length === limit) return { items, more: true };
      items.push(state);
    }
    return { items, more: false };
  }
}

const askedIn = ({ method, url, body }: FastifyRequest): object => ({ method, url, body: body ?? null });

/** The caller's word for a field, where only the way of writing differs. */
const inSnakeCase = (flaw: Flaw): Flaw => ({
  ...flaw,
  pointer: flaw.pointer.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
});

/** What OpenStack clients send along one undertaking goes with its events; this request's own id too. */
function requestIds({ headers, openStackRequestId }: FastifyRequest): { requestId: string; correlationId?: string } {
  const global = headers['x-openstack-request-id'];
  const ids = { requestId: openStackRequestId };
  return typeof global === 'string' && /^req-[0-9a-f-]{36}$/.test(global) ? { ...ids, correlationId: global } : ids;
}
