import { describe, expect, test } from 'vitest';
import { provisionStates } from '../../../src/domain/node/provision-machine.ts';
import { faultOf, finishWork, neededBy, nodeOf, recordedDriver } from './recorded.ts';
import { corrected, verbRows as rows, type VerbRow } from './verb-rows.ts';

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
