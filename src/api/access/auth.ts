import type { IncomingHttpHeaders } from 'node:http';
import { abortingWith } from '../../aborting-with.ts';
import type { Actor } from '../../domain/kernel/actor.ts';
import { textOf } from '../http/headers.ts';
import { apiProblem } from '../problems/problem.ts';
import { highest, includes, type Role } from './roles.ts';
import type { StoredToken } from './tokens.ts';

/** Who makes a request, and what they may do. */
export interface Caller {
  readonly actor: Actor;
  readonly role: Role;
  /** A token proves it. Where nobody is asked for one everybody has the role, and yet the locks of others hold. */
  readonly administrator?: true;
  /** The project outside of which nothing exists for the caller. */
  readonly confinedTo?: string;
  /** When the proof of all this ends, in milliseconds since the epoch: what goes on for long must not outlive it. */
  readonly until?: number;
  /** Aborts when the proof is taken back. */
  readonly revoked?: AbortSignal;
}

/** A question as a caller may put it: the answer holds what there is for that caller. */
export const within = <A extends object>({ confinedTo }: Caller, ask: A): A =>
  confinedTo === undefined ? ask : { ...ask, visibleTo: confinedTo };

/** Finds out who makes a request. @throws Problem where a token is needed and none that counts was sent */
export type Identify = (headers: IncomingHttpHeaders) => Caller | Promise<Caller>;

const anonymous: Caller = { actor: { type: 'user', id: 'anonymous' }, role: 'admin' };

/** Without tokens everybody may do everything, under the name they give. */
export const identifyByName: Identify = (headers) => {
  const name = headers['x-actor'];
  if (name === undefined) return anonymous;
  return { actor: { type: 'user', id: textOf('X-Actor', name) }, role: 'admin' };
};

export const invalidToken = 'Bearer realm="stackledger", error="invalid_token"';
const outOfTime = 'The time of the token ended while the request went on.';
const takenBack = 'The token was taken back while the request went on.';

/** Who the bearer of a token is, for as long as that lasts. */
export const bearerOf = ({ expiresAt, ...token }: StoredToken): Caller => ({
  ...callerOf(token),
  ...(expiresAt !== undefined && { until: Date.parse(expiresAt) }),
});

/** Who the bearer of a token, or the owner of an account, is to the ledger. */
export const callerOf = ({ name, roles, projectId }: Pick<StoredToken, 'name' | 'roles' | 'projectId'>): Caller => {
  const role = highest(roles);
  const actor: Actor = { type: role === 'agent' ? 'agent' : 'user', id: name };
  if (projectId !== undefined) return { actor: { ...actor, projectId }, role, confinedTo: projectId };
  return { actor, role, ...(role === 'admin' && { administrator: true }) };
};

export const unauthenticated = (detail: string, challenge: string) =>
  apiProblem('unauthenticated', detail, {}, { 'www-authenticate': challenge });

/** Node's timers count no further; nobody stays connected for weeks on one. */
const longestTimerMs = 2 ** 31 - 1;

/** Aborts when the server stops, or when the caller's token ends or is taken back; who has done before that aborts it. */
export function untilTokenEnds({ until, revoked }: Caller, stopping: AbortSignal): AbortController {
  const left = until === undefined ? Number.POSITIVE_INFINITY : until - Date.now();
  const ends = left > longestTimerMs ? [] : [AbortSignal.timeout(Math.max(left, 0))];
  return abortingWith(stopping, ...ends, ...(revoked ? [revoked] : []));
}

/** @throws Problem where the caller's token has ended since the request began */
export function requireTime({ until, revoked }: Caller): void {
  if (revoked?.aborted) throw unauthenticated(takenBack, invalidToken);
  if (until !== undefined && Date.now() >= until) throw unauthenticated(outOfTime, invalidToken);
}

/** @throws Problem naming the role that is missing */
export function requireRole({ role }: Caller, needed: Role): void {
  if (includes(role, needed)) return;
  throw apiProblem('role-missing', `This needs the role ${needed}; the token has the role ${role}.`, { needed, role });
}
