import { type Decide, isAlive } from '../kernel/aggregate.ts';
import { actionOf } from './actions.ts';
import { admit } from './admission.ts';
import type { ServerCommands } from './commands.ts';
import type { ServerEvent } from './events.ts';
import type { ServerFacts } from './facts.ts';
import { begin, finishOperation } from './operation.ts';
import type { Deletion } from './performing.ts';
import { refuse } from './refusals.ts';
import type { Server } from './state.ts';
import { inTurn } from './turns.ts';

/** Deletions that make another one needless while they run. A forced one is recorded beside an ordinary one. */
const asGood: Readonly<Record<Deletion, readonly string[]>> = {
  SoftDeleteServer: ['SoftDeleteServer', 'DeleteServer', 'ForceDeleteServer'],
  DeleteServer: ['DeleteServer', 'ForceDeleteServer'],
  ForceDeleteServer: ['ForceDeleteServer'],
};

/** Where no host has anything of the server, nobody needs to report that it is gone. */
function remove(server: Server, name: Deletion, facts: ServerFacts): ServerEvent[] {
  if (asGood[name].includes(server.operation?.action ?? '')) return [];
  admit(server, actionOf(name), facts);
  if (isSoftDeleted(server, name)) return [];
  return inTurn(
    server,
    facts,
    (next) => begin(next, name, {}, name),
    (next) => (next.host === null ? finishOperation(next, { powerState: null, host: null }, name) : []),
  );
}

const isSoftDeleted = ({ vmState, operation }: Server, name: Deletion): boolean =>
  name === 'SoftDeleteServer' && vmState === 'soft-delete' && operation === null;

/** Deleting what is deleted is done. */
const removing =
  (name: 'DeleteServer' | 'ForceDeleteServer') =>
  (server: Server | null, _data: object, facts: ServerFacts): ServerEvent[] => {
    if (!server) return refuse('server-not-found', `There is no server ${facts.resource.id}.`);
    return isAlive(server) ? remove(server, name, facts) : [];
  };

type Opening = 'DeleteServer' | 'ForceDeleteServer';

export const openDeletions: Decide<Server | null, Pick<ServerCommands, Opening>, ServerEvent, ServerFacts> = {
  DeleteServer: removing('DeleteServer'),
  ForceDeleteServer: removing('ForceDeleteServer'),
};

export const deletionDecisions: Decide<Server, Pick<ServerCommands, 'SoftDeleteServer'>, ServerEvent, ServerFacts> = {
  SoftDeleteServer(server, _data, facts) {
    return remove(server, 'SoftDeleteServer', facts);
  },
};
