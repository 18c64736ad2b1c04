import { sameJson } from '../kernel/json.ts';
import type { ResourceRef } from '../kernel/resource.ts';
import type { Server } from '../server/state.ts';
import { byOperator, type ConditionDraft, remedy } from './explainer.ts';
import type { Clue } from './explanation.ts';
import { type Happening, latest, ref, type Seen, type World } from './world.ts';

/** Whether the trouble at hand began before: a server that was well in between has left its older faults behind. */
const beginnings = ['ServerCreated', 'ServerActionStarted', 'ServerDiscovered'];

/** Why a server is in ERROR: what it was told, the first thing that went wrong, and the resource it came from. */
export function serverError(server: Seen['server'], world: World): ConditionDraft[] {
  if (server.vmState !== 'error') return [];
  const self = ref('server', server.id);
  const episode = episodeOf(world, self);
  const faults = faultsSince(server, episode?.time ?? server.createdAt);
  // The one that is shown: an attempt that another host made good has left a later one behind, perhaps.
  const last = server.fault;
  const first = faults.find((fault) => !sameJson(fault, last));
  const isFirst = first !== undefined && last !== null && first.created < last.created;
  const followed = isFirst ? ` It began with ${first.kind}: ${first.message}` : '';
  const forced = server.forced ? ` Somebody set it so (${server.forced.cause}).` : '';
  return [
    {
      what: 'error',
      met: false,
      summary: last ? `It is in ERROR: ${last.kind}: ${last.message}${followed}${forced}` : `It is in ERROR.${forced}`,
      since: server.conditionSince,
      clearable: byOperator(`These are accepted now: ${server.allowed.join(', ')}.`, { command: wayOut(server) }),
      proof: [stateChange(self), ...(isFirst ? [faultAt(self, first.created)] : [])],
      because: originOf(server, world),
    },
  ];
}

const stateChange = (on: ResourceRef): Clue => ({ on, types: ['ServerStateChanged', 'ServerDiscovered'] });

const faultAt = (on: ResourceRef, at: string): Clue => ({
  on,
  types: ['BuildAttemptEnded', 'ServerStateChanged', 'ServerActionEnded'],
  at,
  where: (data) => data.fault !== undefined,
});

const wayOut = ({ id, allowed, launchedAt }: Seen['server']) =>
  allowed.includes('RebuildServer') && launchedAt !== undefined
    ? remedy(ref('server', id), 'RebuildServer')
    : remedy(ref('server', id), 'DeleteServer');

const episodeOf = (world: World, self: ResourceRef): Happening | undefined => latest(world, self, beginnings);

const faultsSince = ({ faults }: Server, since: string) => faults.filter(({ created }) => created >= since);

/** The port whose event did not come or came badly, or the node that failed: read from the end of what happened. */
export function originOf(server: Server, world: Pick<World, 'happened'>): ResourceRef[] {
  const self = ref('server', server.id);
  const origins: ResourceRef[] = [];
  for (const { type, data } of world.happened(self)) {
    if (beginnings.includes(type)) break;
    if (type === 'ExternalEventsTimedOut') origins.push(...portsOf(data.waits as { event: string; tag: string }[]));
    if (type === 'ExternalEventReceived' && data.verdict === 'failed') {
      origins.push(...portsOf([{ event: String(data.name), tag: String(data.tag) }]));
    }
    if (type === 'ServerMoved' && data.leavesNode !== undefined) origins.push(ref('node', String(data.leavesNode)));
  }
  if (server.nodeId !== undefined) origins.push(ref('node', server.nodeId));
  const known = new Set<string>();
  return origins.filter(({ kind, id }) => !known.has(`${kind}-${id}`) && known.add(`${kind}-${id}`));
}

const portsOf = (waits: readonly { event: string; tag: string }[]): ResourceRef[] =>
  waits.flatMap(({ event, tag }) => (event.startsWith('network-vif-') ? [ref('port', tag)] : []));
