import type { Decide } from '../kernel/aggregate.ts';
import { situation } from './admission.ts';
import { failBuild, nextAttempt, runningAttempt } from './build-outcome.ts';
import { toCondition, toHost } from './changes.ts';
import type { ServerCommands } from './commands.ts';
import type { ServerEvent } from './events.ts';
import { awaitEvents, pluggingOf, type Wanted } from './external-events.ts';
import { deadlineAfter, type ServerFacts, settingsOf } from './facts.ts';
import { kindOf } from './faults.ts';
import { refuse } from './refusals.ts';
import { finish, settle } from './settle.ts';
import type { Attempt, Server } from './state.ts';
import type { TaskState } from './states.ts';
import { inTurn } from './turns.ts';
import { isOpen } from './waits.ts';

/** The event with which the search for a host begins. */
export function buildStarted(round: number, forcedHost: string | null, facts: ServerFacts): ServerEvent {
  const { maxAttempts, buildTimeoutMs } = settingsOf(facts);
  return {
    type: 'BuildStarted',
    data: {
      round,
      maxAttempts: forcedHost === null ? maxAttempts : 1,
      deadline: deadlineAfter(buildTimeoutMs, facts),
    },
  };
}

/** What a build passes through once a host is chosen. A report may skip a step; none goes back. */
const buildSteps: readonly (TaskState | null)[] = [null, 'networking', 'block_device_mapping', 'spawning'];

interface AboutAttempt {
  readonly attempt?: number | undefined;
  readonly host?: string | undefined;
}

const isAbout = ({ attempt, host }: AboutAttempt, { number, host: place }: Attempt): boolean =>
  (attempt === undefined || attempt === number) && (host === undefined || host === place);

/** Whether a report is about an attempt that is over, or about none that ever was while another runs. */
function isLate(server: Server, about: AboutAttempt): boolean {
  const running = runningAttempt(server);
  if (running) return !isAbout(about, running);
  const named = about.attempt !== undefined || about.host !== undefined;
  return named && server.attempts.some((attempt) => isAbout(about, attempt));
}

/** @throws Refusal unless the server is being built and nobody has begun to delete it */
function requireBuild(server: Server, command: string, facts: ServerFacts): void {
  if (server.operation) {
    const { action } = server.operation;
    refuse('server-busy', `${command} is about a build, and ${action} has begun.`, situation(server, facts));
  }
  if (server.vmState !== 'building') {
    refuse('server-in-wrong-state', `${command} is about a build, and the server is ${server.vmState}.`, {
      ...situation(server, facts),
      attribute: 'vm_state',
      state: server.vmState,
    });
  }
}

function requireAttempt(server: Server, command: string, facts: ServerFacts): void {
  requireBuild(server, command, facts);
  if (runningAttempt(server)) return;
  refuse('server-not-scheduled', `${command} came before a host was chosen.`, situation(server, facts));
}

/** The step the builder has come to, and what is awaited from there on. */
function toBuildStep(server: Server, task: TaskState, wanted: readonly Wanted[], facts: ServerFacts, cause: string) {
  const here = buildSteps.indexOf(server.taskState);
  const there = buildSteps.indexOf(task);
  if (there < here) return [];
  return [...toCondition(server, { taskState: task }, { cause }), ...awaitEvents(server, wanted, facts)];
}

type Subject = 'ServerScheduled' | 'ReportBuildProgress' | 'ReportBuildSuccess' | 'ReportBuildFailure';

export const buildDecisions: Decide<Server, Pick<ServerCommands, Subject>, ServerEvent, ServerFacts> = {
  ServerScheduled(server, { host, nodeId = null, alternates }, facts) {
    const running = runningAttempt(server);
    if (running?.host === host) return [];
    requireBuild(server, 'ServerScheduled', facts);
    if (running) {
      refuse('server-scheduled', `The server is being built on ${running.host}.`, {
        ...situation(server, facts),
        host: running.host,
      });
    }
    const left = alternates ?? server.build!.alternates?.filter((other) => other !== host) ?? null;
    return [
      { type: 'BuildAttemptStarted', data: { number: nextAttempt(server), host, nodeId, alternates: left } },
      ...toCondition(server, { taskState: null }, { cause: 'ServerScheduled' }),
      ...toHost(server, host, nodeId),
    ];
  },

  ReportBuildProgress(server, { taskState, ports = [], waitFor, ...about }, facts) {
    if (isLate(server, about)) return [];
    requireAttempt(server, 'ReportBuildProgress', facts);

    const made = [...new Set(ports)].filter((portId) => !server.ports.includes(portId));
    return inTurn(
      server,
      facts,
      () => made.map((portId) => ({ type: 'PortAttached', data: { portId, own: true } })),
      (next) => {
        const arriving = taskState === 'spawning' && next.taskState !== 'spawning';
        const wanted = waitFor ?? (arriving ? pluggingOf(next, facts) : []);
        return toBuildStep(next, taskState, wanted, facts, 'ReportBuildProgress');
      },
      (next) => settle(next, facts, 'ReportBuildProgress'),
    );
  },

  /** A report of `spawning` may have been lost; what a boot waits for does not depend on that. */
  ReportBuildSuccess(server, { powerState = null, ...about }, facts) {
    const cause = 'ReportBuildSuccess';
    if (isLate(server, about) || server.guestReady) return [];
    if (!server.build && server.attempts.at(-1)?.outcome === 'succeeded') return [];
    requireAttempt(server, cause, facts);

    const ready = { powerState, host: null };
    return inTurn(
      server,
      facts,
      (next) =>
        next.taskState === 'spawning' ? [] : toBuildStep(next, 'spawning', pluggingOf(next, facts), facts, cause),
      (next) => settle(next, facts, cause),
      (next) => {
        if (!runningAttempt(next)) return [];
        return next.waits.some(isOpen) ? [{ type: 'GuestReady', data: ready }] : finish(next, ready, cause);
      },
    );
  },

  ReportBuildFailure(server, { attempt, host, ...failure }, facts) {
    if (isLate(server, { attempt, host }) || isRepeated(server, kindOf(failure.reason))) return [];
    requireBuild(server, 'ReportBuildFailure', facts);
    return failBuild(server, failure, facts, 'ReportBuildFailure');
  },
};

/**
 * Whether this is what the attempt that ended last ended for, in the build that runs or in the one that is over; or what
 * a build was given up for: the conductor, too, reports that no attempt is left.
 */
function isRepeated({ build, attempts, faults }: Server, kind: string): boolean {
  const last = attempts.at(-1);
  const ended = last?.outcome === 'failed' && last.reason === kind;
  if (build) return ended && last.round === build.round;
  return ended || (last?.outcome === 'failed' && faults.at(-1)?.kind === kind);
}
