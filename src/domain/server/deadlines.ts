import type { Deadline, Decide } from '../kernel/aggregate.ts';
import { failBuild } from './build-outcome.ts';
import type { ServerCommands } from './commands.ts';
import type { ServerEvent } from './events.ts';
import { timeOutWaits } from './external-events.ts';
import type { ServerFacts } from './facts.ts';
import { expireClaim, giveUpPending } from './pending.ts';
import type { Server } from './state.ts';
import { waitDeadline } from './waits.ts';

interface Timer {
  /** When it is due; null while it does not run. */
  readonly due: (server: Server) => string | null;
  readonly expire: (server: Server, at: string, facts: ServerFacts) => ServerEvent[];
}

const timers: Readonly<Record<string, Timer>> = {
  'external event timeout': { due: waitDeadline, expire: timeOutWaits },

  /** A server that somebody makes room for is not given up under their hands. */
  'pending timeout': {
    due: ({ pending }) => (pending && !pending.lease ? pending.deadline : null),
    expire: giveUpPending,
  },

  'pending claim expiry': { due: ({ pending }) => pending?.lease?.expiresAt ?? null, expire: expireClaim },

  'build timeout': {
    due: ({ build, operation }) => (build && !operation ? build.deadline : null),
    expire(server, _at, facts) {
      const message = `The build was not finished within the time it has (since ${server.build?.since}).`;
      return failBuild(server, { reason: 'BuildTimeout', message }, facts, 'DeadlinePassed');
    },
  },
};

/** Everything that happens to the server by itself if nobody acts before. */
export function deadlinesOf(server: Server): Deadline[] {
  if (server.deletedAt !== undefined) return [];
  return Object.entries(timers).flatMap(([name, timer]) => {
    const at = timer.due(server);
    return at === null ? [] : [{ name, at, command: { type: 'DeadlinePassed', data: { name, at } } }];
  });
}

export const deadlineDecisions: Decide<Server, Pick<ServerCommands, 'DeadlinePassed'>, ServerEvent, ServerFacts> = {
  /** A deadline that was moved, met or lifted meanwhile is nobody's concern. */
  DeadlinePassed(server, { name, at }, facts) {
    const timer = timers[name];
    if (!timer || timer.due(server) !== at || facts.time < at) return [];
    return timer.expire(server, at, facts);
  },
};
