import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Kind } from '../../domain/kernel/resource.ts';
import { type Caller, type Identify, requireRole } from './auth.ts';
import { outsideProject, type ProjectScope } from './project-scope.ts';

/**
 * What of a route is for callers who are confined to a project. `own`: its handler gives them what is theirs, and takes
 * commands on nothing else. A kind: `:id` in its path is a resource of that kind, which must be one they see.
 */
export type Reach = 'own' | Kind;

/** No route without a role, but those that say so; and none for who is confined, but those that say how far they reach. */
export function guardRoutes(app: FastifyInstance, identify: Identify, scope: ProjectScope): void {
  app.decorateRequest('caller');
  app.decorateRequest('attempted', null);
  app.addHook('onRoute', (route) => {
    const { needs = 'reader' } = route.config ?? {};
    if (needs === null) return;

    const admit = (request: FastifyRequest, caller: Caller): Promise<void> | undefined => {
      request.caller = caller;
      requireRole(caller, needs);
      return caller.confinedTo === undefined ? undefined : requireReach(request, caller, route.config?.reach, scope);
    };
    route.onRequest = [
      (request, _reply, done) => {
        // Who registers routes within a part of the paths says so after this: it is looked up when it is needed.
        const found = (route.config?.identify ?? identify)(request.headers);
        const admitted =
          found instanceof Promise ? found.then((caller) => admit(request, caller)) : admit(request, found);
        if (admitted) admitted.then(() => done(), done);
        else done();
      },
      ...[route.onRequest ?? []].flat(),
    ];
  });
}

async function requireReach(
  request: FastifyRequest,
  caller: Caller,
  reach: Reach | undefined,
  scope: ProjectScope,
): Promise<void> {
  if (reach === 'own') return;
  if (reach === undefined) throw outsideProject(caller.confinedTo!, 'This path is about the whole site.');
  await scope.requireSeen(caller, { kind: reach, id: (request.params as { id: string }).id });
}
