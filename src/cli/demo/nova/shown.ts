import type { State } from '../../../client/kinds.ts';
import { type Audience, asSeenBy, statusFilterFor, vmStatesFor } from '../../../domain/server/audience.ts';
import { matchesFilter } from '../../../domain/server/status.ts';
import type { Response, Row } from './recording.ts';

type Server = State<'server'>;
type Shown = Readonly<Record<string, unknown>>;

/** The minor number of the first microversion that has the word PENDING, in the Nova that was recorded. */
const firstWithPending = 94;

const audienceOf = (microversion: number): Audience =>
  microversion >= firstWithPending ? 'knows-pending' : 'predates-pending';

interface Member {
  readonly name: string;
  /** What Nova showed; undefined where the caller or the microversion does not see it. */
  readonly recorded: (shown: Shown) => unknown;
  readonly here: (server: Server, seen: ReturnType<typeof asSeenBy>) => unknown;
}

const member = (name: string, novaName: string, here: Member['here']): Member => ({
  name,
  recorded: (shown) => shown[novaName],
  here,
});

/** What is compared of a server that both show. */
const members: readonly Member[] = [
  member('status', 'status', (_server, { status }) => status),
  member('vm_state', 'OS-EXT-STS:vm_state', (_server, { vmState }) => vmState),
  member('task_state', 'OS-EXT-STS:task_state', ({ taskState }) => taskState),
  member('power_state', 'OS-EXT-STS:power_state', ({ powerState }) => powerState),
  member('host', 'OS-EXT-SRV-ATTR:host', ({ host }) => host),
  member('name', 'name', ({ name }) => name),
  member('locked', 'locked', ({ lock }) => lock !== null),
  {
    name: 'fault',
    recorded: ({ fault }) => faultText(fault as Fault),
    here: (_server, { fault }) => faultText(fault),
  },
  {
    name: 'progress',
    recorded: (shown) => 'progress' in shown,
    here: (_server, { showsProgress }) => showsProgress,
  },
  {
    name: 'launched',
    recorded: (shown) => shown['OS-SRV-USG:launched_at'] !== null,
    here: ({ launchedAt }) => launchedAt !== undefined,
  },
];

type Fault = { readonly code: number; readonly message: string } | null | undefined;

const faultText = (fault: Fault): string | null => (fault ? `${fault.code} ${fault.message}` : null);

/** One thing that was recorded, and the same here. */
export interface Pair {
  readonly name: string;
  readonly recorded: unknown;
  readonly here: unknown;
}

/** A server as Nova showed it beside the one here, to a client of the same microversion. */
export function serverPairs(shown: Shown, server: Server, { microversion }: Response): Pair[] {
  const seen = asSeenBy(audienceOf(microversion), server);
  return members
    .map(({ name, recorded, here }) => ({ name, recorded: recorded(shown), here: here(server, seen) }))
    .filter(({ recorded }) => recorded !== undefined);
}

/** What a list is asked for; the servers here that are found so; status and vm_state of each as its asker sees it. */
export function listHere(query: URLSearchParams, servers: readonly Server[], { microversion }: Response) {
  const audience = audienceOf(microversion);
  const found = filters.reduce(
    (left, filter) => {
      const wanted = query.getAll(filter.parameter);
      return wanted.length === 0 ? left : left.filter((server) => filter.finds(audience, wanted, server));
    },
    withDeletion(servers, query.get('deleted') === 'true'),
  );
  return found.map((server) => {
    const { status, vmState } = asSeenBy(audience, server);
    return [status, vmState] as const;
  });
}

const filters = [
  {
    parameter: 'status',
    finds: (audience: Audience, wanted: string[], server: Server) =>
      matchesFilter(statusFilterFor(audience, wanted), server),
  },
  {
    parameter: 'vm_state',
    finds: (audience: Audience, wanted: string[], { vmState }: Server) =>
      vmStatesFor(audience, wanted).includes(vmState),
  },
];

const withDeletion = (servers: readonly Server[], deleted: boolean): readonly Server[] =>
  servers.filter(({ deletedAt }) => (deletedAt !== undefined) === deleted);

export const rowText = ({ vmState, taskState, powerState, host }: Row): string =>
  `${vmState}/${taskState ?? '-'} power ${powerState} on ${host ?? 'no host'}`;
