import { describe, expect, test } from 'vitest';
import type { Server } from '../../../src/domain/server/state.ts';
import type { Resource } from '../../support/story.ts';
import { aServer, readRecording } from './support.ts';

interface Trace {
  trace: {
    step: string;
    response?: { body: { server?: { status?: string; fault?: { code: number; message: string } } } | null };
    notifications_since_last_step?: { event_type: string; state_update?: StateUpdate }[];
  }[];
}
interface StateUpdate {
  state: string;
  new_task_state: string | null;
}

type Command = readonly [type: string, data?: object];
const steps = ['networking', 'block_device_mapping', 'spawning'] as const;
const attempt = (host: string, outcome: Command): Command[] => [
  ['ServerScheduled', { host }],
  ...steps.map((taskState): Command => ['ReportBuildProgress', { host, taskState }]),
  outcome,
];
const boom = (host: string): Command => ['ReportBuildFailure', { host, reason: 'NovaException', message: 'boom' }];

const recorded: readonly {
  file: string;
  settings?: object;
  commands: Command[];
  /** What is done better: the states that are seen then, and the status. */
  instead?: { places?: [string, string | null][]; status?: string };
}[] = [
  {
    file: 'stock/spawn_fails_once_then_succeeds',
    commands: [...attempt('host3', boom('host3')), ...attempt('host1', ['ReportBuildSuccess'])],
  },
  {
    file: 'stock/vif_plug_failure_build_abort',
    commands: attempt('host3', [
      'ReportBuildFailure',
      {
        reason: 'BuildAbortException',
        message:
          'Build of instance 11111111-1111-1111-1111-111111111111 aborted: Failed to allocate the network(s), not rescheduling.',
      },
    ]),
  },
  { file: 'stock/no_valid_host_filtered', commands: [['ReportBuildFailure', { reason: 'NoValidHost' }]] },
  {
    file: 'stock/no_valid_host_placement_empty',
    commands: [['ReportBuildFailure', { reason: 'NoValidHost', message: 'No valid host was found. ' }]],
  },
  {
    file: 'pending/pending_option_off',
    commands: [['ReportBuildFailure', { reason: 'NoValidHost', message: 'No valid host was found. ' }]],
  },
  {
    file: 'pending/pending_delete_by_user',
    settings: { usePendingState: true },
    commands: [['ReportBuildFailure', { reason: 'NoValidHost' }]],
  },
  {
    file: 'pending/pending_not_for_other_failures',
    settings: { usePendingState: true },
    commands: [['ReportBuildFailure', { reason: 'NovaException', message: 'scheduler exploded' }]],
  },
  {
    file: 'pending/pending_max_retries_stays_error',
    settings: { usePendingState: true },
    commands: ['host1', 'host3', 'host2'].flatMap((host) => attempt(host, boom(host))),
    // The scheduler need not be asked once more to say that all is tried.
    instead: {
      places: [
        ['building', 'spawning'],
        ['error', null],
      ],
    },
  },
  {
    file: 'pending/pending_max_retries_from_scheduler_would_be_pending',
    settings: { usePendingState: true },
    commands: [
      ['ReportBuildFailure', { reason: 'MaxRetriesExceeded', message: 'Exceeded maximum number of retries. x' }],
    ],
    instead: { places: [['error', null]], status: 'ERROR' },
  },
];

const distinct = (places: [string, string | null][]): [string, string | null][] =>
  places.filter((place, index) => JSON.stringify(place) !== JSON.stringify(places[index - 1]));

/** Where the server was seen to be, up to the first look at it. */
function seen({ trace }: Trace): [string, string | null][] {
  const look = trace.findIndex(({ response }) => response?.body?.server?.status !== undefined);
  const updates = trace.slice(0, look + 1).flatMap((step) => step.notifications_since_last_step ?? []);
  const places = updates.flatMap(({ state_update: update }): [string, string | null][] =>
    update ? [[update.state, update.new_task_state]] : [],
  );
  return distinct([['building', 'scheduling'], ...places]);
}

function places(server: Resource<Server>, commands: readonly Command[]): [string, string | null][] {
  const passed: [string, string | null][] = [['building', 'scheduling']];
  for (const [type, data] of commands) {
    for (const event of server.decide(type, data ?? {})) {
      server.record(event);
      passed.push([server.state!.vmState, server.state!.taskState]);
    }
  }
  return distinct(passed);
}

describe("a build as Nova's notifications told of it", () => {
  test.each(recorded)('$file', ({ file, settings, commands, instead }) => {
    const trace = readRecording<Trace>(`${file}.json`);
    const server = aServer(settings);
    server.execute('CreateServer', { name: 's' });

    const passed = places(server, commands);
    const expected = seen(trace);
    if (instead?.places) expect(passed.slice(-instead.places.length)).toEqual(instead.places);
    else expect(passed).toEqual(expected);

    const shown = trace.trace.find(({ response }) => response?.body?.server?.status)!.response!.body!.server!;
    expect(server.view.status).toBe(instead?.status ?? shown.status);
    const { fault } = server.view as { fault: { code: number; message: string } | null };
    const id = trace.trace.flatMap(({ response }) => (response?.body?.server as { id?: string })?.id ?? [])[0]!;
    const told = fault && { code: fault.code, message: fault.message.replaceAll(server.id, id) };
    if (!instead?.status)
      expect(told).toEqual(shown.fault ? { code: shown.fault.code, message: shown.fault.message } : null);
  });
});
