import type { Command, State } from '../../../client/kinds.ts';
import type { Told } from './notifications.ts';
import type { Step } from './recording.ts';

/** Something that is not here as it was in Nova. */
export interface Difference {
  readonly recording: string;
  /** Null for what is compared at the end, the rows. */
  readonly step: Pick<Step, 'number' | 'label'> | null;
  /** `answer`, `list`, `row`, or a member of the server. */
  readonly about: string;
  readonly command: string | null;
  readonly recorded: unknown;
  readonly here: unknown;
}

/** Why something is not as it was in Nova, and which differences that explains. */
export interface Deliberate {
  readonly name: string;
  readonly reason: string;
  readonly covers: (difference: Difference) => boolean;
}

const answer =
  (command: string, recorded: number, here: number) =>
  (difference: Difference): boolean =>
    difference.about === 'answer' &&
    difference.command === command &&
    difference.recorded === recorded &&
    difference.here === here;

const rowHere =
  (...rows: readonly RegExp[]) =>
  ({ about, recorded, here }: Difference): boolean =>
    about === 'row' && recorded === null && rows.some((row) => row.test(String(here)));

const sameList = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b);

const asked = ['status', 'vm_state', 'task_state', 'progress', 'fault', 'row', 'answer'];

/** Everything in which the ledger is meant to differ from the Nova that was recorded. The first that covers it explains. */
export const deliberate: readonly Deliberate[] = [
  {
    name: 'server-from-the-first-moment',
    reason:
      'While Nova looks for a host, the server is not in its database: a reset and an external event are answered 500, and nothing comes of them. Here it is a server from its first moment, and the reset is carried out.',
    covers: ({ recording, about }) => recording === 'delete_while_scheduling' && asked.includes(about),
  },
  {
    name: 'lost-race',
    reason: 'Two actions race, and Nova answers the one that loses with 500. Here it is refused with 409.',
    covers: ({ about, recorded, here }) => about === 'answer' && recorded === 500 && here === 409,
  },
  {
    name: 'pending-can-be-rebuilt',
    reason:
      'Nova refuses to rebuild a PENDING server, since nobody implemented that part of the specification. Here a host is sought again, and where none is found the server is PENDING for another time.',
    covers: (difference) =>
      answer('RebuildServer', 409, 200)(difference) ||
      (difference.recording === 'pending_no_valid_host' &&
        rowHere(/^building\/scheduling/, /^pending\/- /)(difference)),
  },
  {
    name: 'retries-are-no-capacity',
    reason:
      'MaxRetriesExceeded is a subclass of NoValidHost, so Nova would have the server wait for capacity that is there. Here the class is compared exactly, and the server is in ERROR.',
    covers: ({ recording, about }) =>
      recording === 'pending_max_retries_from_scheduler_would_be_pending' && asked.includes(about),
  },
  {
    name: 'filters-as-shown',
    reason:
      'To a client from before PENDING, Nova shows a PENDING server as ERROR, and yet finds it by PENDING only. Here what is shown is what is found.',
    covers: ({ about, recorded, here }) => {
      const lists = [recorded, here].map((list) => JSON.stringify(list)).sort();
      return about === 'list' && sameList(lists, ['[["ERROR","error"]]', '[]']);
    },
  },
  {
    name: 'evacuation-without-host',
    reason:
      'Asked to evacuate a server that is on no host, Nova says that the target is the host it is on (400). Here the state is what is wrong with it (409).',
    covers: answer('EvacuateServer', 400, 409),
  },
  {
    name: 'operators-may-report',
    reason: 'Nova takes external events from administrators only. Here an operator may do all that an agent may.',
    covers: answer('ReceiveExternalEvent', 403, 200),
  },
  {
    name: 'deleted-is-a-state',
    reason:
      'Nova deletes a server that is on no host as it is: its row keeps the vm_state it had. Here the vm_state is then `deleted`.',
    covers: (difference) =>
      rowHere(/^deleted\/- power \d on no host$/)(difference) ||
      (difference.about === 'list' && sameList(difference.recorded, [['DELETED', 'pending']])),
  },
  {
    name: 'last-attempt-ends-in-error',
    reason:
      'When the last permitted attempt fails, Nova goes back to scheduling for a moment before it gives up. Here the failure and what follows from it are one change.',
    covers: ({ about, recorded, here }) =>
      about === 'row' && here === null && /^building\/scheduling/.test(String(recorded)),
  },
];

/**
 * What follows here from a request that Nova refused, so that the play stays with the recording: the flavor of a PENDING
 * server that is rebuilt fits no host now either.
 */
export function sequelOf(command: Command<'server'>, { build, faults }: State<'server'>): readonly Told[] {
  if (command.type !== 'RebuildServer' || !build) return [];
  const { kind: reason, message } = faults.at(-1)!;
  return [{ by: 'nova-conductor', command: { type: 'ReportBuildFailure', data: { reason, message } } }];
}
