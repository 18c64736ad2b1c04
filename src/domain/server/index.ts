import type { Aggregate } from '../kernel/aggregate.ts';
import { Uuid } from '../kernel/resource.ts';
import { serverCommands } from './commands.ts';
import { deadlinesOf } from './deadlines.ts';
import { decide, open } from './decide.ts';
import { serverEvents } from './events.ts';
import { begin, evolve } from './evolve.ts';
import { serverRefusals } from './refusals.ts';
import type { Server } from './state.ts';
import { statusOf } from './status.ts';
import { viewServer } from './view.ts';

/** A boot looks at the ports it would otherwise wait for, those among them that were made on the way. */
const seesPorts: readonly string[] = ['ReportBuildProgress', 'ReportBuildSuccess'];

export const serverAggregate: Aggregate<Server> = {
  kind: 'server',
  id: Uuid,
  foldVersion: 2,
  events: serverEvents,
  commands: serverCommands,
  refusals: serverRefusals,
  begin,
  evolve,
  open,
  decide,
  internal: ['DeadlinePassed'],
  status: statusOf,
  deadlines: deadlinesOf,
  needs: (server, { type, data }) =>
    seesPorts.includes(type)
      ? [...(server?.ports ?? []), ...(data.ports ?? [])].map((id: string) => ({ kind: 'port' as const, id }))
      : [],
  view: viewServer,
};
