import type { Kind, ResourceRef } from '../domain/kernel/resource.ts';
import type { UsualStay } from '../domain/why/findings.ts';

/**
 * What can be asked of the read models, and what they answer. Each question is one bounded read: pages have a limit, and
 * `next` is the marker of the page after.
 */
export interface Queries {
  /** One resource as the model has it. */
  resource: { ask: ResourceRef; answer: ListedResource | null };
  list: { ask: ListQuery; answer: Page<ListedResource> };
  /** How many resources of each kind are in each status, now or at a moment of the past. */
  counts: { ask: { readonly kind?: Kind; readonly at?: string }; answer: readonly StatusCount[] };
  /** Who waits for whom, longest first. */
  waiting: { ask: WaitingQuery; answer: Page<Waiting> };
  /** Who is in a status for longer than is good, now or at a moment of the past; longest first. */
  inStatus: { ask: InStatusQuery; answer: Page<InStatus> };
  /** The intervals a resource spent in its statuses, oldest first. */
  statusHistory: { ask: StatusHistoryQuery; answer: Page<Stay> };
  /** Which resources changed their status how often between two moments; the restless first. */
  flapping: { ask: FlappingQuery; answer: readonly Flapping[] };
  /** Events, and the commands that led to them, by minute and kind. */
  rates: { ask: { readonly from: string; readonly to: string; readonly kind?: Kind }; answer: readonly Rate[] };
  /** The events that one request caused, in the order of the ledger. */
  operation: { ask: OperationQuery; answer: Page<Touch> };
  /** A resource with what it depends on and what depends on it. */
  graph: { ask: GraphQuery; answer: Graph };
  /** Resources that something must happen to at a certain time, earliest first. */
  deadlines: { ask: PageQuery; answer: Page<DueResource> };
  /** What is wrong now, at a glance. */
  overview: { ask: OverviewQuery; answer: Overview };
  /** Resources whose id or name begins with a text; those that are it first. */
  search: { ask: SearchQuery; answer: readonly SearchHit[] };
  /** How long resources of a kind usually stay in a status, by those that left it last. */
  usualStay: { ask: { readonly kind: Kind; readonly status: string }; answer: UsualStay };
  /** Resources whose events a projection cannot process. */
  parked: { ask: PageQuery; answer: Page<ParkedResource> };
}

export type QueryName = keyof Queries;
export type Ask<N extends QueryName> = Queries[N]['ask'];
export type Answer<N extends QueryName> = Queries[N]['answer'];

/** A question on behalf of somebody who is confined to a project: only what that one sees is in the answer. */
export interface Confined {
  readonly visibleTo?: string;
}

export const defaultLimit = 100;
export const maxLimit = 1000;

export interface PageQuery {
  /** Default 100, at most 1000. */
  readonly limit?: number;
  /** `next` of the page before. */
  readonly marker?: string;
}

export interface Page<T> {
  readonly items: readonly T[];
  /** Null where this is the last page. */
  readonly next: string | null;
}

export const sortKeys = ['id', 'name', 'status', 'statusSince', 'host', 'createdAt', 'updatedAt'] as const;
export type SortKey = (typeof sortKeys)[number];

/** Any of these. */
export type OneOrMore = string | readonly string[];

export interface ListQuery extends PageQuery, Confined {
  readonly kind: Kind;
  readonly ids?: readonly string[];
  readonly status?: readonly string[];
  readonly subState?: readonly string[];
  readonly name?: OneOrMore;
  readonly project?: OneOrMore;
  readonly host?: OneOrMore;
  readonly network?: OneOrMore;
  readonly device?: OneOrMore;
  /** Only resources that wait for one of these: a port's entity, a server's external event, ... */
  readonly blockedBy?: OneOrMore;
  /** Only resources whose state names this one: the networks of a DHCP agent, the server of a port, all on a host. */
  readonly dependsOn?: VertexRef;
  /** Only resources that changed at this moment or later. */
  readonly since?: string;
  /** Only resources that came into their status before this moment, or at it. */
  readonly statusBefore?: string;
  /** `exclude` is the default; deleted resources have the status they died in. */
  readonly deleted?: 'exclude' | 'include' | 'only';
  /** Default: `createdAt`, oldest first. Ties go by id, so that an order is total. */
  readonly sort?: { readonly by: SortKey; readonly descending?: boolean };
  /** `next` of the page before, or the id of a resource of this kind. */
  readonly marker?: string;
}

export interface ListedResource {
  readonly kind: Kind;
  readonly id: string;
  readonly revision: number;
  /** Position of the resource's last event. */
  readonly position: string;
  readonly status: string;
  readonly statusSince: string;
  readonly deletedAt: string | null;
  /** JSON text of the state as people see it. */
  readonly viewText: string;
}

/** A resource in one line. */
export interface ResourceSummary extends ResourceRef {
  readonly name: string | null;
  readonly status: string;
  readonly statusSince: string;
}

export interface StatusCount {
  readonly kind: Kind;
  readonly status: string;
  readonly count: number;
}

/** Something a resource waits for. */
export interface Wait {
  /** A port's entity, a server's external event, `capacity`, `worker`, `call-back`, or `reservation`. */
  readonly what: string;
  /** The resource it is about, where there is one. */
  readonly on: ResourceRef | null;
  /** Where the awaited work is done. */
  readonly host: string | null;
  /** Who has the resource, or is to act. */
  readonly holder: string | null;
  readonly since: string;
  readonly deadline: string | null;
}

export interface WaitingQuery extends PageQuery, Confined {
  readonly kind?: Kind;
  readonly what?: string;
  readonly host?: string;
  readonly holder?: string;
  /** Only who has waited since before this moment, or since it. */
  readonly before?: string;
}

export interface Waiting {
  readonly resource: ResourceSummary;
  readonly wait: Wait;
}

export interface InStatusQuery extends PageQuery {
  readonly kind: Kind;
  readonly status?: string;
  /** A server's task state; what a node is on the way to. With it, the time in both together counts. */
  readonly subState?: string;
  readonly host?: string;
  /** Only who is so since before this moment, or since it. */
  readonly before: string;
  /** The moment that is asked about. Default: the present. */
  readonly at?: string;
}

export interface InStatus extends ResourceRef {
  readonly name: string | null;
  readonly host: string | null;
  readonly status: string;
  readonly statusSince: string;
  readonly subState: string | null;
  readonly subStateSince: string;
}

export interface StatusHistoryQuery extends PageQuery, ResourceRef {
  readonly from?: string;
  readonly to?: string;
}

/** An interval in which neither status, sub-state nor host of a resource changed. */
export interface Stay {
  readonly since: string;
  /** Null where it lasts. */
  readonly until: string | null;
  readonly status: string;
  /** When the status began, whatever changed beside it. */
  readonly statusSince: string;
  readonly subState: string | null;
  readonly subStateSince: string;
  readonly host: string | null;
  /** The status before; null where a life began. */
  readonly previousStatus: string | null;
}

export interface FlappingQuery {
  readonly kind?: Kind;
  readonly id?: string;
  readonly from: string;
  readonly to: string;
  /** Only resources with so many changes. Default 2. */
  readonly atLeast?: number;
  readonly limit?: number;
}

export interface Flapping {
  readonly resource: ResourceSummary;
  readonly changes: number;
  readonly firstAt: string;
  readonly lastAt: string;
}

export interface Rate {
  /** Such as `2026-01-31T12:05`. */
  readonly minute: string;
  readonly kind: Kind;
  readonly events: number;
  readonly commands: number;
}

export interface OperationQuery extends PageQuery, Confined {
  readonly correlationId: string;
}

/** An event of an operation: where to find it. */
export interface Touch extends ResourceRef {
  readonly revision: number;
  readonly position: string;
}

export interface GraphQuery extends ResourceRef, Confined {
  /** How many steps away from the resource. Default 3, at most 6. */
  readonly depth?: number;
  /** At most so many resources. Default 100, at most 1000. */
  readonly limit?: number;
}

/** A host is no resource of its own, but things meet on it. */
export interface VertexRef {
  readonly kind: Kind | 'host';
  readonly id: string;
}

export interface Vertex extends VertexRef {
  /** Null where nothing was ever recorded of it, and for hosts. */
  readonly resource: ResourceSummary | null;
  readonly deleted: boolean;
  /** Steps from the resource that was asked about. */
  readonly distance: number;
}

/** `from` depends on `to`. */
export interface Edge {
  readonly from: VertexRef;
  readonly to: VertexRef;
  readonly relation: string;
}

export interface Graph {
  readonly vertices: readonly Vertex[];
  readonly edges: readonly Edge[];
  /** Whether the limit cut it short. */
  readonly truncated: boolean;
}

export interface OverviewQuery extends Confined {
  /** At most so many of each list. Default 20, at most 100. */
  readonly limit?: number;
  /** How far back from the newest event rates and flapping look. Default 60, at most a day. */
  readonly minutes?: number;
}

export interface Overview {
  /** Time of the newest event; null where there is none. No clock is asked: "the last hour" ends here. */
  readonly at: string | null;
  readonly counts: readonly StatusCount[];
  readonly blocked: { readonly total: number; readonly oldest: readonly Blocked[] };
  /** What failed and still is so, newest first. */
  readonly failures: readonly Failure[];
  readonly rates: readonly Rate[];
  /** Resources that changed their status four times or more, the restless first. */
  readonly flapping: readonly Flapping[];
  readonly parked: { readonly total: number; readonly first: readonly ParkedResource[] };
}

export interface Blocked extends Waiting {
  /** Why it waits for that, where the ledger says so. */
  readonly reason: string | null;
}

export interface Failure {
  readonly resource: ResourceSummary;
  /** What was said of it; null where nobody said anything. */
  readonly reason: string | null;
}

export interface SearchQuery extends Confined {
  readonly text: string;
  readonly kind?: Kind;
  /** Default 20, at most 100. */
  readonly limit?: number;
}

export interface SearchHit extends ResourceSummary {
  readonly deletedAt: string | null;
}

export interface DueResource {
  readonly resource: ResourceRef;
  readonly at: string;
}

export interface ParkedResource {
  readonly resource: ResourceRef;
  readonly projection: string;
  /** The event that could not be processed. */
  readonly revision: number;
  readonly position: string;
  readonly eventType: string;
  readonly error: string;
  readonly attempts: number;
  /** Later events of the resource that wait behind it. */
  readonly waiting: number;
}
