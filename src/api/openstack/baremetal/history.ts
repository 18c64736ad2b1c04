import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { ResourceRef } from '../../../domain/kernel/resource.ts';
import type { RecordedEvent } from '../../../store/event-store.ts';
import { Fault } from '../fault.ts';
import { type ListingRules, listingOf, nextPage, type Query } from '../listing.ts';
import type { Resources } from '../resources.ts';
import { baseUrl, forRole } from '../service.ts';
import { offsetTime } from '../times.ts';
import { invalid, requireMinor } from './faults.ts';
import { nodeNamed } from './node-lookup.ts';

const rules: ListingRules = { most: 1000, zero: 'most', sortKeys: { created_at: 'createdAt' }, refuse: invalid };

/** An entry of a node's history in the words of Ironic, which has a line for some of what happens. */
interface Line {
  readonly severity: 'INFO' | 'ERROR';
  readonly eventType: string;
  readonly text: string;
  readonly state?: unknown;
  readonly target?: unknown;
}

type Data = Readonly<Record<string, unknown>>;

const because = ({ error }: Data): string => (error === undefined ? '' : `: ${error}`);

const lines: Readonly<Record<string, (data: Data) => Line>> = {
  NodeProvisionStateChanged: (data) => ({
    severity: data.phase === 'error' ? 'ERROR' : 'INFO',
    eventType: 'provisioning',
    text: `${data.event}: ${data.from} -> ${data.to}${because(data)}`,
    state: data.to,
    target: data.targetAfter,
  }),
  NodeErrorRaised: (data) => ({ severity: 'ERROR', eventType: String(data.during), text: String(data.error) }),
  NodePowerRequestFailed: (data) => ({
    severity: 'ERROR',
    eventType: 'power',
    text: `towards ${data.target}${because(data)}`,
  }),
  NodePowerStateReported: (data) => ({ severity: 'INFO', eventType: 'power', text: `${data.powerState}` }),
  NodeMaintenanceSet: (data) => ({
    severity: 'INFO',
    eventType: 'maintenance',
    text: `maintenance (${data.cause})${data.reason === null ? '' : `: ${data.reason}`}`,
  }),
  NodeMaintenanceCleared: (data) => ({
    severity: 'INFO',
    eventType: 'maintenance',
    text: `end of maintenance (${data.cause})`,
  }),
  NodeReservationBroken: (data) => ({
    severity: 'INFO',
    eventType: 'reservation',
    text: `the lock of ${data.holder} was broken: ${data.reason}`,
  }),
};

/** `/v1/nodes/{ident}/history`: out of the node's own events, so nothing of it is ever purged. */
export function historyRoutes(scope: FastifyInstance): void {
  type Ident = { Params: { ident: string; event: string } };
  for (const [path, detail] of [
    ['/v1/nodes/:ident/history', false],
    ['/v1/nodes/:ident/history/detail', true],
  ] as const) {
    scope.get<Ident>(path, forRole('reader'), async (request) => {
      const { id } = await nodeNamed(request.resources, request.params.ident);
      requireMinor(request, 78, 'history');
      const { limit, query } = listingOf(request.query as Query, rules);
      const history: object[] = [];
      for await (const { event, line } of linesAfter(request.resources, { kind: 'node', id }, query.marker)) {
        if (history.length === limit) return { history, next: nextPage(request, lastId(history)) };
        history.push(entryShown(request, event, line, detail));
      }
      return { history };
    });
  }

  scope.get<Ident>('/v1/nodes/:ident/history/:event', forRole('reader'), async (request) => {
    const { id } = await nodeNamed(request.resources, request.params.ident);
    requireMinor(request, 78, 'history');
    for await (const { event, line } of linesAfter(request.resources, { kind: 'node', id })) {
      if (event.id === request.params.event) return entryShown(request, event, line, true);
    }
    throw new Fault(404, 'NodeHistoryNotFound', `The node has no history entry ${request.params.event}.`);
  });
}

const lastId = (history: readonly object[]): string => (history.at(-1) as { uuid: string }).uuid;

/** The lines of a node, oldest first, after the one that the marker names. */
async function* linesAfter(resources: Resources, resource: ResourceRef, marker?: string) {
  let isAfter = marker === undefined;
  for await (const event of resources.events(resource)) {
    const line = Object.hasOwn(lines, event.type) ? lines[event.type]!(event.data) : null;
    if (isAfter && line) yield { event, line };
    isAfter ||= event.id === marker;
  }
}

function entryShown(request: FastifyRequest, event: RecordedEvent, line: Line, detail: boolean): object {
  const { ident } = request.params as { ident: string };
  const { actor } = event.metadata as { actor?: { id?: string } };
  const href = `${baseUrl(request)}/baremetal/v1/nodes/${encodeURIComponent(ident)}/history/${event.id}`;
  return {
    uuid: event.id,
    created_at: offsetTime(event.time),
    severity: line.severity,
    event: line.text,
    links: [{ href, rel: 'self' }],
    ...(detail && { conductor: null, event_type: line.eventType, user: actor?.id ?? null }),
    ...(detail &&
      request.microversion.minor >= 115 && {
        state: line.state ?? null,
        target_provision_state: line.target ?? null,
      }),
  };
}
