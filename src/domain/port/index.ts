import type { Aggregate } from '../kernel/aggregate.ts';
import { Uuid } from '../kernel/resource.ts';
import { portCommands } from './commands.ts';
import { decide, open } from './decide.ts';
import { portEvents } from './events.ts';
import { begin, evolve } from './evolve.ts';
import { portRefusals } from './refusals.ts';
import type { Port } from './state.ts';
import { needs } from './surroundings.ts';

export const portAggregate: Aggregate<Port> = {
  kind: 'port',
  id: Uuid,
  foldVersion: 3,
  events: portEvents,
  commands: portCommands,
  refusals: portRefusals,
  begin,
  evolve,
  open,
  decide,
  internal: ['ReconsiderPort', 'RecordRefusedNotification'],
  status: (port) => port.status,
  needs,
};
