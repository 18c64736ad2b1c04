import type { Draft } from 'immer';
import type { Begin, Evolve } from '../kernel/aggregate.ts';
import type { JsonObject } from '../kernel/json.ts';
import { l2, type PortEvent } from './events.ts';
import { type Binding, isBound, type OtherBinding, otherBindingOn, type Port } from './state.ts';

export const begin: Begin<Port, PortEvent, 'PortCreated'> = {
  PortCreated(attributes, { id, time }) {
    return {
      id,
      ...attributes,
      status: 'DOWN',
      blocks: [],
      round: { number: 1, since: time, completed: [], provisioned: null },
      binding: { host: null, vnicType: 'normal', profile: {}, ...detached(0, time) },
      otherBindings: [],
      lastGeneration: 0,
      earlyReports: [],
      ignoredReports: [],
      formerHost: null,
      observation: null,
      lateObservation: null,
    };
  },
};

export const evolve: Evolve<Port, PortEvent, 'PortCreated'> = {
  PortUpdated(port, { changes }) {
    Object.assign(port, changes);
    if (changes.deviceId !== undefined) forgetRefusal(port);
  },

  PortDeleted(port, _data, { time }) {
    port.deletedAt = time;
    port.blocks = [];
    port.otherBindings = [];
    forgetRefusal(port);
  },

  ProvisioningComponentAdded(port, { entity, host, reason }, { time, eventId }) {
    if (port.round.provisioned) beginRound(port, time, port.status === 'ACTIVE' ? port.round.completed : []);
    port.blocks.push({ entity, ...(host !== undefined && { host }), since: time, reason, eventId });
    forgetCompletion(port, entity);
  },

  ProvisioningComponentRemoved(port, { entity }) {
    port.blocks = port.blocks.filter((block) => block.entity !== entity);
  },

  ProvisioningComponentCompleted(port, { entity }, { time, eventId }) {
    port.blocks = port.blocks.filter((block) => block.entity !== entity);
    forgetCompletion(port, entity);
    port.round.completed.push({ entity, at: time, eventId });
    if (entity === l2 && port.binding.host !== null) port.binding.device = 'up';
  },

  ProvisioningComponentNotNeeded() {},

  PortProvisioned(port, { entity }, { time, eventId }) {
    port.round.provisioned = { entity, at: time, eventId };
  },

  PortStatusChanged(port, { from, to }, { time }) {
    port.status = to;
    forgetRefusal(port);
    if (to === 'ACTIVE' && port.binding.device === 'down') port.binding.device = 'up'; // a driver's word, set from outside
    if (from === 'ACTIVE' && port.round.provisioned) beginRound(port, time);
  },

  BindingRequested(port, { generation, ...inputs }, { time }) {
    const { host, device } = port.binding;
    const rewired = inputs.host === host && device !== 'unreported';
    if (host !== null) beginRound(port, time);
    replaceBinding(port, {
      ...detached(generation, time),
      ...inputs,
      device: rewired ? 'down' : 'unreported',
    } as Binding);
    port.earlyReports = port.earlyReports.filter((report) => inputs.host === null || report.host === inputs.host);
    if (inputs.host !== null) port.formerHost = null;
  },

  PortUnbound(port, { host, generation }, { time }) {
    const { vnicType, profile } = port.binding;
    beginRound(port, time);
    replaceBinding(port, { host: null, vnicType, profile, ...detached(generation, time) });
    port.earlyReports = [];
    port.formerHost = host;
  },

  PortBound(port, { driver, vifType, vifDetails, segments }) {
    Object.assign(port.binding, { driver, vifType, vifDetails, segments, failure: null });
    port.earlyReports = [];
  },

  PortBindingFailed(port, { segments, tried, agents }, { time }) {
    const { failure } = port.binding;
    const since = failure?.since ?? time;
    if (isBound(port.binding)) beginRound(port, time);
    Object.assign(port.binding, {
      driver: null,
      vifType: 'binding_failed',
      vifDetails: {},
      segments,
      failure: { tried, agents, since },
    });
  },

  BindingAdded(
    port,
    { host, vnicType, profile, driver, vifType, vifDetails, segments, generation, migration },
    { time },
  ) {
    const binding: Binding = {
      ...detached(generation, time),
      host,
      vnicType,
      profile: profile as JsonObject,
      driver,
      vifType,
      vifDetails: vifDetails as JsonObject,
      segments,
    };
    const owner = migration === null ? null : { id: migration, endedAt: null, outcome: null };
    port.otherBindings.push({ ...binding, host, migration: owner });
    port.lastGeneration = generation;
  },

  /** The one that is left loses what it was attached to, as in Neutron: it must be bound again to be of use. */
  BindingActivated(port, { host, from, generation }, { time }) {
    const activated = otherBindingOn(port, host);
    if (!activated) return;
    const { migration, ...binding } = activated;
    const { vnicType, profile } = port.binding;
    port.otherBindings = port.otherBindings.filter((other) => other !== activated);
    if (from !== null) {
      const left = { ...detached(port.binding.generation, time), host: from, vnicType, profile, migration };
      port.otherBindings.push(left as OtherBinding);
    }
    beginRound(port, time);
    replaceBinding(port, { ...binding, generation, since: time, device: 'unreported' } as Binding);
    port.earlyReports = [];
    port.formerHost = null;
  },

  BindingRemoved(port, { host }) {
    port.otherBindings = port.otherBindings.filter((binding) => binding.host !== host);
  },

  MigrationEnded(port, { migration, outcome }, { time }) {
    for (const binding of port.otherBindings) {
      if (binding.migration?.id === migration) binding.migration = { id: migration, endedAt: time, outcome };
    }
  },

  PortObserved(port, observed, { time }) {
    port[observed.late ? 'lateObservation' : 'observation'] = { ...observed, at: time };
  },

  DeviceUpReported(port, { host }, { time, eventId }) {
    const other = otherBindingOn(port, host);
    forgetRefusal(port);
    if (other) other.device = 'up';
    else port.earlyReports.push({ host, at: time, eventId });
  },

  DeviceDownReported(port, { host = port.binding.host }, { time }) {
    port.earlyReports = port.earlyReports.filter((report) => report.host !== host);
    const other = otherBindingOn(port, host);
    if (other) other.device = 'down';
    if (host !== port.binding.host) return;
    port.binding.device = 'down';
    forgetCompletion(port, l2);
    if (port.round.provisioned) beginRound(port, time);
  },

  DeviceDetailsRequested(port, _data, { time }) {
    if (!port.round.provisioned) return;
    if (port.binding.device === 'up') port.binding.device = 'down';
    beginRound(port, time);
  },

  ReportIgnored(port, { report, host, entity }, { time }) {
    port.ignoredReports.push({ report, host, ...(entity !== undefined && { entity }), at: time });
  },

  NotificationRefused(port, refused, { time }) {
    port.refusedNotification = { ...refused, at: time };
  },

  NotificationRepeated: forgetRefusal,
};

const detached = (generation: number, since: string) => ({
  vifType: 'unbound',
  vifDetails: {},
  driver: null,
  segments: [],
  generation,
  since,
  device: 'unreported' as const,
  failure: null,
});

/** There is something newer to tell, or nobody left to tell it. Most ports have nothing to forget. */
function forgetRefusal(port: Draft<Port>): void {
  if (port.refusedNotification) delete port.refusedNotification;
}

function beginRound(port: Draft<Port>, since: string, completed: Port['round']['completed'] = []): void {
  port.round = { number: port.round.number + 1, since, completed, provisioned: null };
}

function replaceBinding(port: Draft<Port>, binding: Binding): void {
  port.binding = binding;
  port.lastGeneration = binding.generation;
  port.ignoredReports = [];
}

function forgetCompletion(port: Draft<Port>, entity: string): void {
  port.round.completed = port.round.completed.filter((completion) => completion.entity !== entity);
}
