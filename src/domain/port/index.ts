import type { Aggregate } from '../kernel/aggregate.ts';
import { Uuid } from '../kernel/resource.ts';
import { portCommands } from './commands.ts';
import { decide, open } from './decide.ts';
import { portEvents } from './events.ts';
import { begin, evolve } from './evolve.ts';
import { portRefusals } from './refusals.ts';
import type { Port } from './state.ts';

export const portAggregate: Aggregate<Port> = {
  kind: 'port',
  id: Uuid,
  foldVersion: 1,
  events: portEvents,
  commands: portCommands,
  refusals: portRefusals,
  begin,
  evolve,
  open,
  decide,
  status: (port) => port.status,
};
