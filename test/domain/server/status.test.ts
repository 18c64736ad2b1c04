import { describe, expect, test } from 'vitest';
import { vmStates } from '../../../src/domain/server/states.ts';
import { filterFor, matchesFilter, statusFor } from '../../../src/domain/server/status.ts';
import { anObservedServer, aRunningServer, readVectors } from './support.ts';

interface StatusMap {
  pairs: { vm_state: string; task_state: string | null; status: string }[];
  unknown_inputs: Record<string, string>;
  reverse_filter: Record<string, { vm_states: string[]; task_states: string[] }>;
  reverse_filter_multi: Record<string, { vm_states: string[]; task_states: string[] }>;
  filter_false_positives: Record<string, { selected_but_renders_as_other: string[][]; missed: unknown[] }>;
}
const map = readVectors<StatusMap>('status-map.json');

describe("the status of a server, by Nova's own table", () => {
  test(`all ${map.pairs.length} pairs of vm_state and task_state`, () => {
    const answers = map.pairs.map(({ vm_state, task_state }) => statusFor(vm_state, task_state));
    expect(answers).toEqual(map.pairs.map(({ status }) => status));
    expect(map.pairs).toHaveLength(516);
  });

  test.each(Object.entries(map.unknown_inputs).filter(([input]) => input !== "'pending'"))(
    '%s is %s',
    (input, status) => {
      expect(statusFor(input === 'None' ? null : input.slice(1, -1), null)).toBe(status);
    },
  );

  test('a server that waits for capacity is PENDING, whatever is done to it', () => {
    expect(statusFor('pending', null)).toBe('PENDING');
    expect(statusFor('pending', 'deleting')).toBe('PENDING');
  });

  test('a deleted server is DELETED, in the list of all and in its own view', () => {
    const server = aRunningServer();
    server.execute('DeleteServer');
    expect(server.view.status).toBe('ACTIVE');
    server.execute('ReportActionSuccess', { action: 'DeleteServer' });
    expect(server.view).toMatchObject({ status: 'DELETED', vmState: 'deleted', host: 'host-1' });
    expect(server.aggregate.status(server.state!)).toBe('DELETED');
  });
});

describe('what is looked for when somebody asks for a status', () => {
  const known = Object.entries({ ...map.reverse_filter, ...map.reverse_filter_multi }).filter(
    ([statuses]) => statuses.toUpperCase() !== 'PENDING',
  );

  test.each(known)('%s', (statuses, { vm_states, task_states }) => {
    expect(filterFor(statuses.split('+'))).toEqual({ vmStates: vm_states, taskStates: task_states });
  });

  test.each(Object.entries(map.filter_false_positives))(
    '%s also finds these',
    (status, { selected_but_renders_as_other }) => {
      const found = map.pairs
        .filter(({ vm_state, task_state }) => {
          const server = anObservedServer({ vmState: vm_state, taskState: task_state });
          return matchesFilter(filterFor([status]), server.state!);
        })
        .map(({ vm_state, task_state, status: shown }) => [vm_state, task_state, shown]);
      expect(found.filter(([, , shown]) => shown !== status)).toEqual(selected_but_renders_as_other);
      expect(found.filter(([, , shown]) => shown === status)).toEqual(
        map.pairs.filter((pair) => pair.status === status).map((pair) => [pair.vm_state, pair.task_state, status]),
      );
    },
  );

  test('an empty word is no status', () => {
    expect(filterFor([''])).toEqual({ vmStates: [], taskStates: [] });
    expect(filterFor(vmStates)).not.toEqual({ vmStates: [], taskStates: [] });
  });
});
