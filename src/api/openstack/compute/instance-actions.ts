import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { ResourceRef } from '../../../domain/kernel/resource.ts';
import { actions } from '../../../domain/server/actions.ts';
import type { RecordedEvent } from '../../../store/event-store.ts';
import { Fault } from '../fault.ts';
import { type ListingRules, listingOf, nextPage, type Query } from '../listing.ts';
import { forRole } from '../service.ts';
import { badRequest, knows, serverNotFound } from './faults.ts';
import { bareTime } from './server-shown.ts';

/** Something that was asked of a server, and how it came out, as far as it has. */
interface InstanceAction {
  readonly action: string;
  readonly requestId: string;
  readonly userId: string | null;
  readonly projectId: string;
  readonly start: string;
  finish: string | null;
  result: 'Success' | 'Error' | null;
}

const rules: ListingRules = { most: 1000, zero: 'most', sortKeys: {}, refuse: badRequest };

type OnServer = { Params: { id: string } };
type OnAction = { Params: { id: string; request: string } };

/** `/servers/{id}/os-instance-actions`: out of the server's own events, also after its deletion. */
export function instanceActionRoutes(scope: FastifyInstance): void {
  const path = '/v2.1/servers/:id/os-instance-actions';

  scope.get<OnServer>(path, forRole('reader'), async (request) => {
    const { id } = request.params;
    const all = await actionsOf(request, id);
    const { limit, query } = listingOf(request.query as Query, rules);
    const after = query.marker === undefined ? 0 : all.findIndex(({ requestId }) => requestId === query.marker) + 1;
    const page = all.slice(after, after + limit);
    const more = after + limit < all.length;
    return {
      instanceActions: page.map((action) => actionShown(request, id, action)),
      ...(more && knows(request, 58) && { links: [{ rel: 'next', href: nextPage(request, page.at(-1)!.requestId) }] }),
    };
  });

  scope.get<OnAction>(`${path}/:request`, forRole('reader'), async (request) => {
    const { id, request: requestId } = request.params;
    const action = (await actionsOf(request, id)).find((known) => known.requestId === requestId);
    if (!action) throw new Fault(404, 'itemNotFound', `Action for request_id ${requestId} on instance ${id} not found`);
    return { instanceAction: { ...actionShown(request, id, action), events: stepsShown(action) } };
  });
}

function actionShown(request: FastifyRequest, id: string, action: InstanceAction): object {
  return {
    action: action.action,
    instance_uuid: id,
    request_id: action.requestId,
    user_id: action.userId,
    project_id: action.projectId,
    start_time: bareTime(action.start),
    message: action.result === 'Error' ? 'Error' : null,
    ...(knows(request, 58) && { updated_at: bareTime(action.finish ?? action.start) }),
  };
}

const stepsShown = ({ action, start, finish, result }: InstanceAction): object[] => [
  {
    event: `compute_${action}_instance`,
    start_time: bareTime(start),
    finish_time: finish === null ? null : bareTime(finish),
    result,
    traceback: null,
  },
];

/** Newest first, as Nova lists them. @throws Fault where there never was such a server */
async function actionsOf(request: FastifyRequest, id: string): Promise<InstanceAction[]> {
  const resource: ResourceRef = { kind: 'server', id };
  const found: InstanceAction[] = [];
  let projectId = '';
  let isKnown = false;
  let isGone = false;
  for await (const event of request.resources.events(resource)) {
    isKnown = true;
    if (beginnings.includes(event.type)) {
      projectId = String(event.data.projectId);
      isGone = false;
    }
    const name = startedBy(event);
    if (name !== null) found.unshift(begun(event, name, projectId));
    const result = endedBy(event);
    const running = found.find((action) => action.finish === null);
    if (result && running) {
      running.finish = event.time;
      running.result = result;
    }
    const atOnce = doneAtOnce(event);
    if (atOnce !== null) {
      found.unshift({ ...begun(event, atOnce, projectId), finish: event.time, result: 'Success' });
    }
    if (event.type === 'ServerDeleted') isGone = true;
  }
  // Before 2.21 what is deleted is not found here either.
  if (!isKnown || (isGone && !knows(request, 21))) throw serverNotFound(id);
  return found;
}

/** A server was asked for, or an outside system was seen to have it: then nobody here knows what was asked of it. */
const beginnings = ['ServerCreated', 'ServerDiscovered'];

/** What nobody has to carry out. */
function doneAtOnce({ type, data }: RecordedEvent): string | null {
  if (type === 'ServerLocked') return 'lock';
  if (type === 'ServerUnlocked') return 'unlock';
  return type === 'ServerStateChanged' && data.forced !== undefined ? 'resetState' : null;
}

function startedBy({ type, data }: RecordedEvent): string | null {
  if (type === 'ServerCreated') return 'create';
  if (type !== 'ServerActionStarted') return null;
  const action = Object.hasOwn(actions, String(data.action)) ? actions[data.action as keyof typeof actions] : null;
  return action?.guard.verb ?? String(data.action);
}

/** What ends the build, or the action that runs. */
function endedBy({ type, data }: RecordedEvent): 'Success' | 'Error' | null {
  if (type === 'ServerActionEnded') return data.result === 'succeeded' ? 'Success' : 'Error';
  if (type === 'ServerLaunched' || type === 'ServerDeleted') return 'Success';
  if (type === 'PendingStarted') return 'Error';
  if (type !== 'ServerStateChanged') return null;
  return (data.to as { vmState: string }).vmState === 'error' ? 'Error' : null;
}

function begun(event: RecordedEvent, action: string, projectId: string): InstanceAction {
  const { requestId, commandId, actor } = event.metadata as {
    requestId?: string;
    commandId?: string;
    actor?: { id?: string };
  };
  return {
    action,
    requestId: requestId?.startsWith('req-') ? requestId : `req-${commandId ?? event.id}`,
    userId: actor?.id ?? null,
    projectId,
    start: event.time,
    finish: null,
    result: null,
  };
}
