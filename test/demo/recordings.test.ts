import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { castOf } from '../../src/cli/demo/nova/cast.ts';
import { deliberate } from '../../src/cli/demo/nova/differences.ts';
import { type Played, playRecording } from '../../src/cli/demo/nova/play.ts';
import { novaRecordings, type Recording } from '../../src/cli/demo/nova/recording.ts';
import { Stage } from '../../src/cli/demo/stage.ts';
import { PatchedState } from '../../src/cli/output/patch.ts';
import type { HistoryEntry } from '../../src/client/answers.ts';
import { lastRows, rawNames, rawNotifications, rawRecording, rawViews } from './raw-recording.ts';

const recordings = novaRecordings();
const named = (name: string): Recording => recordings.find((recording) => name.endsWith(recording.name))!;

/** Answers of Nova that are held against one of the ledger, and how often each deliberate difference is met. */
const expected: Readonly<Record<string, { answers: number; meant: Readonly<Record<string, number>> }>> = {
  'pending/pending_delete_by_user': { answers: 6, meant: { 'deleted-is-a-state': 2 } },
  'pending/pending_max_retries_from_scheduler_would_be_pending': {
    answers: 2,
    meant: { 'retries-are-no-capacity': 6 },
  },
  'pending/pending_max_retries_stays_error': { answers: 2, meant: { 'last-attempt-ends-in-error': 1 } },
  'pending/pending_no_valid_host': {
    answers: 41,
    meant: {
      'filters-as-shown': 10,
      'pending-can-be-rebuilt': 6,
      'evacuation-without-host': 1,
      'deleted-is-a-state': 1,
    },
  },
  'pending/pending_not_for_other_failures': { answers: 2, meant: {} },
  'pending/pending_option_off': { answers: 2, meant: {} },
  'stock/boot_success': { answers: 16, meant: {} },
  'stock/cas_race_500': { answers: 3, meant: { 'lost-race': 1 } },
  'stock/delete_while_scheduling': { answers: 10, meant: { 'server-from-the-first-moment': 8 } },
  'stock/external_events': { answers: 18, meant: { 'operators-may-report': 1 } },
  'stock/no_valid_host_filtered': { answers: 2, meant: {} },
  'stock/no_valid_host_placement_empty': { answers: 23, meant: { 'evacuation-without-host': 1 } },
  'stock/spawn_fails_once_then_succeeds': { answers: 4, meant: {} },
  'stock/vif_plug_failure_build_abort': { answers: 3, meant: {} },
};

/** Servers whose last state is meant to differ from the last row that Nova told of, since Nova told of no later one. */
const untold: Readonly<Record<string, object>> = {
  'pending/pending_delete_by_user': { vmState: 'deleted', taskState: null, host: null },
  'pending/pending_no_valid_host': { vmState: 'deleted', taskState: null, host: null },
  'pending/pending_max_retries_from_scheduler_would_be_pending': { vmState: 'error', taskState: null, host: null },
};

const open = (settings?: { usePendingState: boolean }) => {
  const stage = new Stage(castOf(recordings));
  return stage.open(settings).then(() => stage);
};

describe.each([{ usePendingState: false }, { usePendingState: true }])(
  'the ledger is played what a Nova was asked and told, with %o',
  (settings) => {
    let stage: Stage;
    beforeAll(async () => {
      stage = await open(settings);
    });
    afterAll(async () => {
      await stage.close();
      stage.clear();
    });

    const names = rawNames.filter((name) => named(name).usesPendingState === settings.usePendingState);

    test.each(names)('%s', async (name) => {
      const played = await playRecording(stage, named(name));
      const { answers, meant } = expected[name]!;
      const raw = rawRecording(name);

      expect(played.differences.filter(({ reason }) => reason === null)).toEqual([]);
      expect(countReasons(played)).toEqual(meant);
      expect(played.compared).toMatchObject({
        answers,
        servers: rawViews(raw).length,
        lists: raw.trace.filter(({ request }) => request?.path.startsWith('/servers/detail')).length,
      });

      for (const id of played.serverIds) {
        const last = await lastStateOf(stage.history({ kind: 'server', id }));
        const recorded = untold[name] ?? lastRows(rawNotifications(name)).get(id);
        if (recorded !== undefined) expect(last).toMatchObject(recorded);
      }
    });
  },
);

function countReasons({ differences }: Played): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { reason } of differences) if (reason) counts[reason.name] = (counts[reason.name] ?? 0) + 1;
  return counts;
}

async function lastStateOf(history: AsyncIterable<HistoryEntry>): Promise<unknown> {
  const state = new PatchedState();
  for await (const { patch = [] } of history) state.apply(patch);
  return state.state;
}

describe('every reason to differ', () => {
  const met = new Set(Object.values(expected).flatMap(({ meant }) => Object.keys(meant)));

  test('is met in some recording', () => {
    expect(deliberate.map(({ name }) => name).filter((name) => !met.has(name))).toEqual([]);
    expect(Object.keys(expected).sort()).toEqual([...rawNames]);
  });

  test('is told in docs/demo.md, in the same words', () => {
    const page = readFileSync(new URL('../../docs/demo.md', import.meta.url), 'utf8');
    for (const { name, reason } of deliberate) {
      expect(page).toContain(`\`${name}\``);
      expect(page).toContain(reason);
    }
  });
});

describe('a recording that the ledger does not follow', () => {
  let stage: Stage;
  beforeAll(async () => {
    stage = await open();
  });
  afterAll(async () => {
    await stage.close();
    stage.clear();
  });

  /** A copy in which one thing was recorded otherwise, about a server of its own. */
  const altered = (from: string, to: string, id: string): Recording => {
    const text = JSON.stringify(named('boot_success'), (_key, value) =>
      value instanceof URLSearchParams ? { query: value.toString() } : value,
    );
    const changed = text.replaceAll('18664f5e-4daa-46f3-8066-14582adf1589', id).replace(from, to);
    expect(changed).not.toBe(text);
    return JSON.parse(changed, (key, value) =>
      key === 'query' && value?.query !== undefined ? new URLSearchParams(value.query) : value,
    ) as Recording;
  };

  const cases = [
    {
      title: 'Nova showed another status',
      recording: altered('"status":"SHUTOFF"', '"status":"PAUSED"', '18664f5e-0000-4000-8000-000000000001'),
      difference: { about: 'status', recorded: 'PAUSED', here: 'SHUTOFF' },
    },
    {
      title: 'Nova took what it refused',
      recording: altered('"status":409', '"status":202', '18664f5e-0000-4000-8000-000000000002'),
      difference: { about: 'answer', command: 'StopServer', recorded: 202, here: 409 },
    },
    {
      title: 'Nova told of a row that nothing led to',
      recording: altered(
        '"vmState":"stopped","taskState":null',
        '"vmState":"rescued","taskState":null',
        '18664f5e-0000-4000-8000-000000000003',
      ),
      difference: { about: 'row', recorded: 'rescued/- power 4 on host1', here: null },
    },
  ];

  test.each(cases)('$title', async ({ recording, difference }) => {
    const { differences } = await playRecording(stage, recording);
    expect(differences).toContainEqual(expect.objectContaining({ ...difference, reason: null }));
  });
});
