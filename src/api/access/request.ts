import type { z } from 'zod';
import type { Attempted } from './audit.ts';
import type { Caller, Identify } from './auth.ts';
import type { Role } from './roles.ts';
import type { Reach } from './route-guard.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Who makes the request; set before a handler runs, on routes that need a role. */
    caller: Caller;
    /** The command that the request was found to give, before anything was asked about it. */
    attempted: Attempted | null;
    /** Milliseconds on the process's own clock. */
    receivedAt: number;
  }
  interface FastifySchema {
    /** Bodies by the name under which the API reference shows them. */
    'x-examples'?: Record<string, { value: object }>;
    /** A body that is described here and checked where it is read. */
    'x-body'?: z.ZodType;
  }
  interface FastifyContextConfig {
    /** The least role that may use the route; `nobody` has to be known where it is null. Default: reader. */
    needs?: Role | null;
    /** What of the route is for callers who are confined to a project. Default: nothing. */
    reach?: Reach;
    /** How the route finds out who calls, where that is not as everywhere. */
    identify?: Identify;
  }
}
