import type { Begin, Evolve } from '../kernel/aggregate.ts';
import type { PortEvent } from './events.ts';
import type { Port } from './state.ts';

export const begin: Begin<Port, PortEvent, 'PortCreated'> = {
  PortCreated(attributes, { time }) {
    return {
      ...attributes,
      status: 'DOWN',
      blocks: [],
      round: { number: 1, since: time, completed: [], provisioned: null },
    };
  },
};

export const evolve: Evolve<Port, PortEvent, 'PortCreated'> = {
  PortUpdated(port, { changes }) {
    Object.assign(port, changes);
  },

  PortDeleted(port, _data, { time }) {
    port.deletedAt = time;
    port.blocks = [];
  },

  ProvisioningComponentAdded(port, { entity, host, reason }, { time, eventId }) {
    if (port.round.provisioned) {
      port.round = { number: port.round.number + 1, since: time, completed: [], provisioned: null };
    }
    port.blocks.push({ entity, ...(host !== undefined && { host }), since: time, reason, eventId });
    port.round.completed = port.round.completed.filter((completion) => completion.entity !== entity);
  },

  ProvisioningComponentRemoved(port, { entity }) {
    port.blocks = port.blocks.filter((block) => block.entity !== entity);
  },

  ProvisioningComponentCompleted(port, { entity }, { time, eventId }) {
    port.blocks = port.blocks.filter((block) => block.entity !== entity);
    port.round.completed.push({ entity, at: time, eventId });
  },

  PortProvisioned(port, { entity }, { time, eventId }) {
    port.round.provisioned = { entity, at: time, eventId };
  },

  PortStatusChanged(port, { to }) {
    port.status = to;
  },
};
