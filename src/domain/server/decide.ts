import type { Decide } from '../kernel/aggregate.ts';
import { attributeDecisions, openCreation } from './attributes.ts';
import { buildDecisions } from './build.ts';
import type { ServerCommands } from './commands.ts';
import { deadlineDecisions } from './deadlines.ts';
import { deletionDecisions, openDeletions } from './deletion.ts';
import type { ServerEvent } from './events.ts';
import { externalEventDecisions } from './external-events.ts';
import type { ServerFacts } from './facts.ts';
import { openObservation } from './observe.ts';
import { pendingDecisions } from './pending.ts';
import { actionDecisions } from './performing.ts';
import { recoveryDecisions } from './recovery.ts';
import type { Server } from './state.ts';

type Opening = 'CreateServer' | 'DeleteServer' | 'ForceDeleteServer' | 'ObserveServer';

/** Each subject has a file; here they are one table, and a command without a rule does not compile. */
export const open: Decide<Server | null, Pick<ServerCommands, Opening>, ServerEvent, ServerFacts> = {
  ...openCreation,
  ...openDeletions,
  ...openObservation,
};

export const decide: Decide<Server, Omit<ServerCommands, Opening>, ServerEvent, ServerFacts> = {
  ...attributeDecisions,
  ...buildDecisions,
  ...actionDecisions,
  ...deletionDecisions,
  ...externalEventDecisions,
  ...pendingDecisions,
  ...recoveryDecisions,
  ...deadlineDecisions,
};
