import type { Server } from '../../../domain/server/state.ts';
import { isOpen } from '../../../domain/server/waits.ts';
import type { Wait } from '../../queries.ts';
import type { KindTable } from '../kind-table.ts';

export const serverTable: KindTable<Server> = {
  columns: ({ name, projectId, nodeId }) => ({ name, project: projectId, network: null, device: nodeId ?? null }),
  subState: ({ taskState }) => taskState,
  host: ({ host }) => host,
  waits: (server) => [...externalEvents(server), ...capacity(server), ...worker(server)],
  links: ({ ports, nodeId, host }) => [
    ...ports.map((id) => ({ relation: 'port', to: { kind: 'port' as const, id } })),
    ...(nodeId === undefined ? [] : [{ relation: 'node', to: { kind: 'node' as const, id: nodeId } }]),
    ...(host === null ? [] : [{ relation: 'host', to: { kind: 'host' as const, id: host } }]),
  ],
};

/** The tag of a network's event is the port it is about. */
const externalEvents = ({ waits, host: serverHost }: Server): Wait[] =>
  waits.filter(isOpen).map(({ event, tag, host, since, deadline }) => ({
    what: event,
    on: event.startsWith('network-') ? { kind: 'port', id: tag } : null,
    host: host ?? serverHost,
    holder: null,
    since,
    deadline,
  }));

/** A PENDING server, and who makes room for it. */
const capacity = ({ pending }: Server): Wait[] =>
  pending
    ? [
        {
          what: 'capacity',
          on: null,
          host: null,
          holder: pending.lease?.holder ?? null,
          since: pending.since,
          deadline: pending.deadline,
        },
      ]
    : [];

/** An action that was accepted, and that nobody has taken up. */
const worker = ({ operation, host }: Server): Wait[] =>
  operation && operation.worker === null
    ? [{ what: 'worker', on: null, host, holder: null, since: operation.since, deadline: null }]
    : [];
