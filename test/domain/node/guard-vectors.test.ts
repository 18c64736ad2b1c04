import { describe, expect, test } from 'vitest';
import { nodeAggregate } from '../../../src/domain/node/index.ts';
import { type KnownState, machine } from '../../../src/domain/node/provision-machine.ts';
import type { Node } from '../../../src/domain/node/state.ts';
import type { Resource } from '../../support/story.ts';
import { faultOf, finishWork, nodeOf, otherHost, type RecordedNode, vectors } from './recorded.ts';

interface Answer {
  http: number;
  error: string | null;
}

interface Seen {
  instance_uuid: string | null;
  maintenance: boolean;
  maintenance_reason: string | null;
  fault: string | null;
  provision_state: string;
}

interface Guards {
  patch_extra: (RecordedNode & Answer)[];
  delete_node: (RecordedNode & Answer & { instance_uuid_set?: boolean })[];
  maintenance: (RecordedNode & {
    reservation: boolean;
    put_error: string | null;
    delete_error: string | null;
    maintenance: boolean;
    reason: string | null;
    maintenance_after: boolean;
    fault_after: string | null;
    reason_after: string | null;
  })[];
  power: (RecordedNode &
    Answer & {
      target: string;
      now_power_state?: string;
      now_target_power_state?: string;
      final_power_state?: string;
    })[];
  misc: (Answer & { case: string; node?: RecordedNode; patch?: Patch[]; after?: Seen })[];
  timeouts: (RecordedNode & {
    age: 'old' | 'new';
    in_step: boolean;
    moved: boolean;
    final: [string, string | null];
    final_maintenance: boolean;
    fault: string | null;
    last_error: string | null;
  })[];
  stuck_on_restart: (RecordedNode & Final)[];
  orphans: (RecordedNode & Final & { reservation_after: null; final_target_power_state: string | null })[];
  continue_rpcs: { rpc: string; provision_state: KnownState; error: string | null; now: [string, string | null] }[];
}

interface Final {
  final: [KnownState, string | null];
  last_error: string | null;
  final_maintenance: boolean;
  fault: string | null;
}

interface Patch {
  op: string;
  path: string;
  value?: unknown;
}

const guards = vectors<Guards>('guard-vectors.json');
const instanceId = '0cdfb88d-a10f-4708-b0b6-fb9476c2ca2c';

const placeOf = ({ state }: Resource<Node>) => [state!.provisionState, state!.targetProvisionState];

const lookOf = (node: Resource<Node>) => ({
  place: placeOf(node),
  hasError: node.state!.lastError !== null,
  maintenance: node.state!.maintenance !== null,
  fault: node.state!.maintenance?.fault ?? null,
});

/** Runs a row for each entry of a table and shows the rows that came out otherwise. */
function sameAsRecorded<R>(rows: readonly R[], run: (row: R) => { here: unknown; recorded: unknown }): void {
  const differing = rows
    .map((row) => ({ row, ...run(row) }))
    .filter(({ here, recorded }) => JSON.stringify(here) !== JSON.stringify(recorded));
  expect(differing).toEqual([]);
  expect(rows.length).toBeGreaterThan(0);
}

describe('attributes of a node, in every state, with and without target, maintenance and lock', () => {
  test('are changed where Ironic lets them be', () => {
    sameAsRecorded(guards.patch_extra, (row) => ({
      here: faultOf(nodeOf(row), 'UpdateNode', { extra: { a: 1 } }),
      recorded: row.error,
    }));
  });

  const attributeNames: Record<string, string> = { instance_uuid: 'instanceId' };
  const patched = guards.misc.filter((row) => row.patch);

  /** A patch as commands. Maintenance has its own; what is no attribute is not even a command. */
  function commandsOf({ op, path, value }: Patch): { type: string; data: object } {
    const name = path.slice(1);
    if (name === 'maintenance') return { type: value ? 'SetMaintenance' : 'ClearMaintenance', data: {} };
    if (name.endsWith('_interface'))
      return { type: 'UpdateNode', data: { interfaces: { [name.split('_')[0]!]: value } } };
    return { type: 'UpdateNode', data: { [attributeNames[name] ?? name]: op === 'remove' ? null : value } };
  }

  test.each(patched)('$case', ({ case: name, node: before, patch, error, after }) => {
    const node = nodeOf(before!, {
      related: { stateOf: () => (name.includes('2nd node') ? { nodeId: 'another-node' } : null) },
    });
    const { type, data } = commandsOf(patch![0]!);
    const isCommand = nodeAggregate.commands[type]!.safeParse(data).success;
    expect(isCommand ? faultOf(node, type, data) : 'Invalid').toBe(error);
    if (!after) return;
    const { state } = node;
    expect({
      instance_uuid: state!.instanceId,
      maintenance: state!.maintenance !== null,
      maintenance_reason: state!.maintenance?.reason ?? null,
      fault: state!.maintenance?.fault ?? null,
      provision_state: state!.provisionState,
    }).toEqual({
      instance_uuid: after.instance_uuid,
      maintenance: after.maintenance,
      maintenance_reason: after.maintenance_reason,
      fault: after.fault,
      provision_state: after.provision_state,
    });
  });
});

describe('deleting a node, in every state, with and without instance, maintenance and lock', () => {
  test('is refused where Ironic refuses it', () => {
    sameAsRecorded(guards.delete_node, (row) => {
      const node = nodeOf({ ...row, instance_uuid: row.instance_uuid_set ? instanceId : null });
      const here = faultOf(node, 'DeleteNode');
      return { here: [here, node.state!.deletedAt !== undefined], recorded: [row.error, row.error === null] };
    });
  });
});

describe('maintenance, in every state, with and without lock', () => {
  const maintenanceOf = ({ state }: Resource<Node>) => ({
    maintenance: state!.maintenance !== null,
    reason: state!.maintenance?.reason ?? null,
    fault: state!.maintenance?.fault ?? null,
    place: state!.provisionState,
  });

  test('is set where Ironic sets it', () => {
    sameAsRecorded(guards.maintenance, (row) => {
      const node = nodeOf({ ...row, maintenance: false });
      const error = faultOf(node, 'SetMaintenance', { reason: 'why' });
      const { maintenance, reason } = row;
      const recorded = { error: row.put_error, maintenance, reason, fault: null, place: row.provision_state };
      return { here: { error, ...maintenanceOf(node) }, recorded };
    });
  });

  test('is cleared where Ironic clears it, the fault with it', () => {
    sameAsRecorded(guards.maintenance, (row) => {
      const node = nodeOf({ ...row, maintenance: true, fault: 'power failure' });
      const error = faultOf(node, 'ClearMaintenance');
      const { maintenance_after: maintenance, reason_after: reason, fault_after: fault } = row;
      const recorded = { error: row.delete_error, maintenance, reason, fault, place: row.provision_state };
      return { here: { error, ...maintenanceOf(node) }, recorded };
    });
  });
});

describe('power actions, in every state, with and without lock', () => {
  test('are accepted where Ironic accepts them, and come to the same end', () => {
    sameAsRecorded(guards.power, (row) => {
      const node = nodeOf({ ...row, last_error: 'old error' });
      const error = faultOf(node, 'SetPowerState', { target: row.target });
      if (error) return { here: error, recorded: row.error };
      const { powerState, targetPowerState, lastError, provisionState } = node.state!;
      finishWork(node);
      return {
        here: [
          powerState,
          targetPowerState,
          lastError,
          provisionState,
          node.state!.powerState,
          node.state!.targetPowerState,
        ],
        recorded: [
          row.now_power_state,
          row.now_target_power_state,
          null,
          row.provision_state,
          row.final_power_state,
          null,
        ],
      };
    });
  });
});

describe('waits, long and short, with and without maintenance, lock and step', () => {
  const agesMs = { old: 3_600_000, new: 60_000 };

  /** The clock gives the commands of all deadlines that have passed, and gives them again. */
  function letTimePass(node: Resource<Node>, milliseconds: number): void {
    node.now += milliseconds;
    const time = new Date(node.now).toISOString();
    const due = nodeAggregate.deadlines!(node.state!, null).filter(({ at }) => at <= time);
    for (const { command } of [...due, ...due]) node.execute(command.type, command.data);
  }

  test('end as they ended in Ironic', () => {
    sameAsRecorded(guards.timeouts, (row) => {
      const step = { interface: 'deploy', step: 's1' };
      const node = nodeOf(row.in_step ? { ...row, clean_step: step } : row);
      letTimePass(node, agesMs[row.age]);
      const { final, last_error, final_maintenance, fault } = row;
      const recorded = { place: final, hasError: last_error !== null, maintenance: final_maintenance, fault };
      return { here: lookOf(node), recorded };
    });
  });
});

describe('a conductor that starts anew', () => {
  test('fails what it was doing when it stopped, and nothing else', () => {
    sameAsRecorded(guards.stuck_on_restart, (row) => {
      const node = nodeOf({ ...row, conductor: 'fake-mini' });
      node.execute('TakeOverConductor', { conductor: 'fake-mini', by: 'fake-mini' });
      return { here: lookOf(node), recorded: recordedLook(row, row) };
    });
  });
});

/** A manual cleaning that fails is one still. docs/decisions/0201-node-ironic-defects.md */
function recordedLook(row: RecordedNode, { final, last_error, final_maintenance, fault }: Final) {
  const isManual = machine[final[0]].activity === 'clean' && row.target_provision_state === 'manageable';
  const place = isManual ? [final[0], 'manageable'] : final;
  return { place, hasError: last_error !== null, maintenance: final_maintenance, fault };
}

describe('a conductor that is lost', () => {
  /**
   * Ironic fails what was being deployed or cleaned, leaves all other work hanging until the lost conductor comes back,
   * and leaves nodes in maintenance alone. Here all work fails alike. docs/decisions/0202-node-take-over.md
   */
  const failsHereOnly = (row: RecordedNode) => machine[row.provision_state].kind === 'working';

  test('loses its locks; what it was doing fails; what waits goes on waiting', () => {
    sameAsRecorded(guards.orphans, (row) => {
      const node = nodeOf({ ...row, reservation: 'dead', conductor: 'dead' });
      node.execute('TakeOverConductor', { conductor: 'dead', by: 'alive' });
      const { reservation, targetPowerState } = node.state!;
      const recorded = {
        ...recordedLook(row, row),
        ...(row.target_power_state && { hasError: true }),
        ...(failsHereOnly(row) && { hasError: true, place: placeOf(failed(row)) }),
      };
      return { here: [lookOf(node), reservation, targetPowerState], recorded: [recorded, null, null] };
    });
  });

  const failed = (row: RecordedNode): Resource<Node> => {
    const node = nodeOf({ ...row, reservation: false });
    node.execute('ReportProvisionEvent', { event: 'fail' });
    return node;
  };
});

describe('a call-back that lets a worker go on', () => {
  const activities: Record<string, string> = {
    continue_node_deploy: 'deploy',
    continue_node_clean: 'clean',
    continue_node_service: 'service',
  };
  /** The recorded calls name what is to go on; here the attempt does, so calls for another work have no counterpart. */
  const own = guards.continue_rpcs.filter(({ rpc, provision_state: state }) => {
    const { kind, activity } = machine[state];
    return activity === activities[rpc] || !['working', 'waiting'].includes(kind);
  });
  /** Ironic accepts it while it serves the node already, and then breaks down; told twice is no mistake here. */
  const isToldTwice = ({ provision_state: state }: { provision_state: KnownState }) =>
    machine[state].kind === 'working';

  test('is accepted from waiting nodes', () => {
    sameAsRecorded(own, (row) => {
      const node = nodeOf({ ...row, target_provision_state: row.now[1] as KnownState | null });
      const error = faultOf(node, 'ReportProvisionEvent', { event: 'resume' });
      const recorded = row.error && !isToldTwice(row) ? 'InvalidState' : null;
      return { here: [error, ...placeOf(node)], recorded: [recorded, ...row.now] };
    });
  });
});

test('the lock of the recordings is one that nobody here holds', () => {
  expect(faultOf(nodeOf({ provision_state: 'enroll', reservation: otherHost }), 'ReleaseNode', { holder: 'me' })).toBe(
    'NodeLocked',
  );
});
