import { type RecordedNode, vectors } from './recorded.ts';

/** A verb on a node, and what Ironic made of it. */
export interface VerbRow extends RecordedNode {
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

/** What a row says, without what is not to be copied. */
export const corrected = (row: VerbRow): VerbRow['expect'] => {
  const correction = corrections.find(([applies]) => applies(row));
  if (!correction) return row.expect;
  const { error: _, final_last_error: __, ...recorded } = row.expect;
  return { ...recorded, ...correction[1] };
};

export const verbRows = vectors<VerbRow[]>('provision-api-vectors.json');
