import type { Node } from '../../../domain/node/state.ts';
import type { Wait } from '../../queries.ts';
import type { KindTable } from '../kind-table.ts';

export const nodeTable: KindTable<Node> = {
  columns: ({ name, owner, instanceId }) => ({ name, project: owner, network: null, device: instanceId }),
  subState: ({ targetProvisionState }) => targetProvisionState,
  host: ({ conductor }) => conductor,
  waits: (node) => [...callBack(node), ...reservation(node)],
  links: ({ instanceId, conductor }) => [
    ...(instanceId === null ? [] : [{ relation: 'instance', to: { kind: 'server' as const, id: instanceId } }]),
    ...(conductor === null ? [] : [{ relation: 'host', to: { kind: 'host' as const, id: conductor } }]),
  ],
};

/** The sign of life that a waiting node owes. */
const callBack = ({ callBack: owed, conductor }: Node): Wait[] =>
  owed
    ? [{ what: 'call-back', on: null, host: conductor, holder: null, since: owed.since, deadline: owed.deadline }]
    : [];

/** Whoever holds the lock: nobody else can work on the node until then. */
const reservation = ({ reservation: lock, conductor }: Node): Wait[] =>
  lock
    ? [
        {
          what: 'reservation',
          on: null,
          host: conductor,
          holder: lock.holder,
          since: lock.since,
          deadline: lock.expiresAt ?? null,
        },
      ]
    : [];
