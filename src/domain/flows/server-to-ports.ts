import { isAlive, type Related } from '../kernel/aggregate.ts';
import type { ResourceRef } from '../kernel/resource.ts';
import { otherBindingOn, type Port } from '../port/state.ts';
import type { DataOf } from '../server/events.ts';
import type { Server } from '../server/state.ts';
import type { Flow, FlowCommand, FlowEvent } from './flow.ts';

const portRef = (id: string): ResourceRef => ({ kind: 'port', id });
const bind = (portId: string, host: string): FlowCommand => ({
  resource: portRef(portId),
  type: 'BindPort',
  data: { host },
});
const unbind = (portId: string): FlowCommand => ({ resource: portRef(portId), type: 'UnbindPort', data: {} });

/** A port that outlives its server belongs to nobody, so that another server may take it. */
const free = (portId: string): FlowCommand[] => [
  unbind(portId),
  { resource: portRef(portId), type: 'UpdatePort', data: { deviceId: '', deviceOwner: '' } },
];
const remove = (portId: string): FlowCommand => ({ resource: portRef(portId), type: 'DeletePort', data: {} });

const serverOf = ({ resource }: FlowEvent, related: Related): Server | null =>
  related.stateOf(resource) as Server | null;

/** What each event of a server asks of its ports. */
const reactions: Readonly<Record<string, (event: FlowEvent, related: Related) => FlowCommand[]>> = {
  /** Its ports go where it is built; one that was on an earlier host is bound anew. */
  BuildAttemptStarted(event, related) {
    const { host } = event.data as DataOf<'BuildAttemptStarted'>;
    return (serverOf(event, related)?.ports ?? []).map((id) => bind(id, host));
  },

  PortAttached(event, related) {
    const { portId } = event.data as DataOf<'PortAttached'>;
    const host = serverOf(event, related)?.host;
    return host ? [bind(portId, host)] : [];
  },

  PortDetached: (event) => free((event.data as DataOf<'PortDetached'>).portId),

  /**
   * A build that failed leaves no port behind on the host; a server that moved takes its ports along. A migration has made
   * a binding for them already.
   */
  ServerMoved(event, related) {
    const { to } = event.data as DataOf<'ServerMoved'>;
    const server = serverOf(event, related);
    if (!server || server.host !== to) return [];
    return server.ports.flatMap((id): FlowCommand[] => {
      if (to === null) return [unbind(id)];
      const port = related.stateOf(portRef(id)) as Port | null;
      const isPrepared = port !== null && otherBindingOn(port, to) !== undefined;
      return [isPrepared ? { resource: portRef(id), type: 'ActivateBinding', data: { host: to } } : bind(id, to)];
    });
  },

  ServerDeleted(event) {
    const { ports, ownPorts } = event.data as DataOf<'ServerDeleted'>;
    return ports.flatMap((id) => (ownPorts.includes(id) ? [remove(id)] : free(id)));
  },
};

/** A server's ports are bound where it is, and released when it goes. Ports that are gone already are let be. */
export const serverToPorts: Flow = {
  name: 'server-to-ports',
  types: Object.keys(reactions),

  needs(event, known) {
    const attached = serverOf(event, known)?.ports ?? [];
    const named = event.type === 'ServerDeleted' ? (event.data as DataOf<'ServerDeleted'>).ports : attached;
    const detached = event.type === 'PortDetached' ? [(event.data as DataOf<'PortDetached'>).portId] : [];
    return [event.resource, ...[...named, ...detached].map(portRef)];
  },

  react: (event, related) =>
    reactions[event.type]!(event, related).filter(({ resource }) => isAlive(related.stateOf(resource) as Port | null)),
};
