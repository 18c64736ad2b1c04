import type { Decide } from '../kernel/aggregate.ts';
import { admit, situation } from './admission.ts';
import { failBuild } from './build-outcome.ts';
import { toCondition } from './changes.ts';
import type { ServerCommands } from './commands.ts';
import type { ServerEvent } from './events.ts';
import type { ServerFacts } from './facts.ts';
import { faultOf } from './faults.ts';
import { unguarded } from './guards.ts';
import { begin, failOperation, interrupt } from './operation.ts';
import { refuse } from './refusals.ts';
import type { Server } from './state.ts';
import { type PowerState, power, type TaskState, type VmState } from './states.ts';
import { inTurn } from './turns.ts';

/** What the history says of a state that was ordered. */
const forcedNote = 'real state not verified';

/** What is left of a task when the worker that did it starts again. A task that is not here goes on, or is redone. */
const afterRestart: Readonly<Partial<Record<TaskState, 'as-before' | 'unknown'>>> = {
  rebuilding: 'unknown',
  rebuild_block_device_mapping: 'unknown',
  rebuild_spawning: 'unknown',
  image_snapshot_pending: 'as-before',
  image_snapshot: 'as-before',
  image_pending_upload: 'as-before',
  image_uploading: 'as-before',
  image_backup: 'as-before',
  reboot_started: 'as-before',
  reboot_started_hard: 'as-before',
  resize_prep: 'as-before',
  resize_migrating: 'as-before',
  migrating: 'as-before',
};

/** Power states that an idle server of this state should not be in: the guest is shut down. */
const toBeStopped: Readonly<Partial<Record<VmState, readonly PowerState[]>>> = {
  active: [power.shutdown, power.crashed, power.suspended],
  stopped: [power.running],
  paused: [power.shutdown],
};

type Subject = 'ResetServerState' | 'ReportPowerState' | 'ReportComputeRestart';

export const recoveryDecisions: Decide<Server, Pick<ServerCommands, Subject>, ServerEvent, ServerFacts> = {
  /** Accepted whatever the server does; only a server that was never placed cannot be ordered to run. */
  ResetServerState(server, { state }, facts) {
    if (state === 'active' && server.vmState === 'pending') {
      refuse('server-without-host', 'A server that waits for capacity is on no host and cannot be active.', {
        ...situation(server, facts),
        attribute: 'host',
        state: null,
      });
    }
    const cause = 'ResetServerState';
    const ordered = { vmState: state, taskState: null } as const;
    return [...interrupt(server, cause), ...toCondition(server, ordered, { cause, forced: forcedNote })];
  },

  /** What the hypervisor says is true; whether it should be so is decided on the server as it was compared. */
  ReportPowerState(server, { powerState, revision }, facts) {
    if (revision !== undefined && revision !== server.revision) {
      refuse('server-changed-since', `The report compared revision ${revision}; the server is at ${server.revision}.`, {
        revision: server.revision,
        retryable: true,
      });
    }
    const cause = 'ReportPowerState';
    admit(
      server,
      { command: cause, guard: unguarded('sync_power_state', { lock: false, host: 'looked-at-first' }) },
      facts,
    );
    if (server.taskState !== null || server.operation) return [];

    const stop = toBeStopped[server.vmState]?.includes(powerState) ?? false;
    return inTurn(
      server,
      facts,
      (next) => toCondition(next, { powerState }, { cause }),
      (next) => (stop ? begin(next, 'StopServer', {}, cause) : []),
    );
  },

  ReportComputeRestart(server, { host }, facts) {
    const cause = 'ReportComputeRestart';
    if (server.host !== host || server.vmState === 'error' || server.vmState === 'soft-delete') return [];
    const failure = { reason: 'ComputeRestarted', message: `${host} was restarted while it worked on the server.` };
    if (server.build && !server.operation) return failBuild(server, failure, facts, cause);

    const outcome = server.taskState && afterRestart[server.taskState];
    if (!outcome) return [];
    if (server.operation) return failOperation(server, { ...failure, outcome }, facts, cause);

    const fault = faultOf(failure, facts.time);
    const condition = { ...(outcome === 'unknown' && { vmState: 'error' as const }), taskState: null };
    return toCondition(server, condition, { cause, reason: fault.kind, fault });
  },
};
