import { describe, expect, test } from 'vitest';
import { provisionStates } from '../../../src/domain/node/provision-machine.ts';
import { faultOf, finishWork, neededBy, nodeOf, type RecordedNode, recordedDriver, vectors } from './recorded.ts';

interface VerbRow extends RecordedNode {
  verb: string;
  expect: {
    http: number;
    error?: string;
    new_provision_state?: string;
    new_target?: string | null;
    lock_held?: boolean;
    final_provision_state?: string;
    final_target?: string | null;
    final_last_error?: string;
    final_is_fixture_dependent?: boolean;
  };
}

/** Where Ironic is known to be wrong, and the answer here instead. docs/decisions/0201-node-ironic-defects.md */
const corrections: readonly [(row: VerbRow) => boolean, Partial<VerbRow['expect']>][] = [
  // A held deployment or service can be given back.
  [
    ({ provision_state: state, verb, reservation }) =>
      ['deploy hold', 'service hold'].includes(state) && ['deleted', 'undeploy'].includes(verb) && !reservation,
    {
      http: 202,
      new_provision_state: 'deleting',
      new_target: 'available',
      lock_held: true,
      final_provision_state: 'available',
      final_target: null,
    },
  ],
  // A service that is let go on waits for its call-back, like a deployment and a cleaning.
  [
    ({ provision_state: state, verb, expect: { http } }) =>
      state === 'service hold' && verb === 'unhold' && http === 202,
    { lock_held: false, final_provision_state: 'service wait', final_target: 'active' },
  ],
  // A manual cleaning stays one.
  [
    ({ provision_state: state, target_provision_state: target, verb, expect: { http } }) =>
      state === 'clean hold' && target === 'manageable' && verb === 'unhold' && http === 202,
    { new_target: 'manageable' },
  ],
];

const corrected = (row: VerbRow): VerbRow['expect'] => {
  const correction = corrections.find(([applies]) => applies(row));
  if (!correction) return row.expect;
  const { error: _, final_last_error: __, ...recorded } = row.expect;
  return { ...recorded, ...correction[1] };
};

function answerOf(row: VerbRow): VerbRow['expect'] {
  const node = nodeOf(row, { settings: { driversWithoutInspectAbort: [recordedDriver] } });
  const error = faultOf(node, 'SetProvisionState', { target: row.verb, ...neededBy[row.verb] });
  if (error !== null) return { http: row.expect.http, error };

  const { provisionState, targetProvisionState, reservation } = node.state!;
  const now = {
    new_provision_state: provisionState,
    new_target: targetProvisionState,
    lock_held: reservation !== null,
  };
  finishWork(node);
  const { lastError } = node.state!;
  return {
    http: 202,
    ...now,
    final_provision_state: node.state!.provisionState,
    final_target: node.state!.targetProvisionState,
    ...(lastError !== null && { final_last_error: lastError }),
  };
}

/** What a row says; recorded sentences are Ironic's own, so only that there is one is compared. */
function comparable(answer: VerbRow['expect'], recorded: VerbRow['expect']): object {
  const { http, error, new_provision_state, new_target, lock_held, final_last_error } = answer;
  const isOver = recorded.final_provision_state !== undefined;
  const final = isOver && {
    final_provision_state: answer.final_provision_state,
    final_target: answer.final_target,
    has_error: final_last_error !== undefined,
  };
  return { http, error, new_provision_state, new_target, lock_held, ...final };
}

const rows = vectors<VerbRow[]>('provision-api-vectors.json');

describe('every verb in every state, with and without target, maintenance and lock', () => {
  test('is in the recording', () => expect(rows.length).toBeGreaterThan(3500));

  test.each(provisionStates)('%s', (state) => {
    const differing = rows
      .filter((row) => row.provision_state === state)
      .map((row) => ({
        row,
        recorded: comparable(corrected(row), corrected(row)),
        here: comparable(answerOf(row), corrected(row)),
      }))
      .filter(({ recorded, here }) => JSON.stringify(recorded) !== JSON.stringify(here));
    expect(differing).toEqual([]);
  });
});
