import { type Decide, isAlive } from '../kernel/aggregate.ts';
import { sameJson } from '../kernel/json.ts';
import { admit } from './admission.ts';
import { buildStarted } from './build.ts';
import type { ServerCommands } from './commands.ts';
import type { ServerChanges, ServerEvent } from './events.ts';
import type { ServerFacts } from './facts.ts';
import { sideGuards } from './guards.ts';
import { refuse } from './refusals.ts';
import type { Server } from './state.ts';

export const openCreation: Decide<Server | null, Pick<ServerCommands, 'CreateServer'>, ServerEvent, ServerFacts> = {
  /** An id is used once: a deleted server does not come back, however late or often its creation is repeated. */
  CreateServer(server, attributes, facts) {
    if (!server) {
      const created: ServerEvent = { type: 'ServerCreated', data: attributes };
      return [created, buildStarted(1, attributes.forcedHost, facts)];
    }
    if (!isAlive(server)) {
      return refuse('server-deleted', `The server ${server.id} was deleted at ${server.deletedAt}; ids are used once.`);
    }
    const differing = Object.keys(changesOf(server, attributes));
    if (differing.length === 0) return [];
    return refuse('server-exists', `The server ${server.id} exists and differs in ${differing.join(', ')}.`, {
      differing,
    });
  },
};

/** The attributes whose value would change. */
export function changesOf(server: Server, given: object): ServerChanges {
  const current = server as unknown as Readonly<Record<string, unknown>>;
  const changed = Object.entries(given).filter(
    ([name, value]) => value !== undefined && !sameJson(current[name], value),
  );
  return Object.fromEntries(changed);
}

type Subject = 'UpdateServer' | 'AttachInterface' | 'DetachInterface' | 'LockServer' | 'UnlockServer';

export const attributeDecisions: Decide<Server, Pick<ServerCommands, Subject>, ServerEvent, ServerFacts> = {
  /** A name can be changed at any time; metadata and tags only while the guest is at rest. */
  UpdateServer(server, given, facts) {
    const changes = changesOf(server, given);
    if (changes.metadata) admit(server, { command: 'UpdateServer', guard: sideGuards.updateMetadata }, facts);
    if (changes.tags) admit(server, { command: 'UpdateServer', guard: sideGuards.updateTags }, facts);
    return Object.keys(changes).length === 0 ? [] : [{ type: 'ServerUpdated', data: { changes } }];
  },

  AttachInterface(server, { portId }, facts) {
    if (server.ports.includes(portId)) return [];
    admit(server, { command: 'AttachInterface', guard: sideGuards.attachInterface }, facts);
    return [{ type: 'PortAttached', data: { portId, own: false } }];
  },

  /** A port that is gone already is what was wanted. */
  DetachInterface(server, { portId }, facts) {
    if (!server.ports.includes(portId)) return [];
    admit(server, { command: 'DetachInterface', guard: sideGuards.detachInterface }, facts);
    return [{ type: 'PortDetached', data: { portId, cause: 'DetachInterface' } }];
  },

  LockServer(server, { reason }, { actor }) {
    if (server.lock?.by === actor.id && server.lock.reason === reason) return [];
    return [{ type: 'ServerLocked', data: { by: actor.id, reason } }];
  },

  UnlockServer(server) {
    return server.lock ? [{ type: 'ServerUnlocked', data: {} }] : [];
  },
};
