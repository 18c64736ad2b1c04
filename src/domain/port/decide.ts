import { type Decide, isAlive } from '../kernel/aggregate.ts';
import { sameJson } from '../kernel/json.ts';
import { changesOf, macAddressOf } from './attributes.ts';
import { awaitDhcpOfChanged, awaitDhcpOfNew, canReport, stopAwaitingDhcp, stopAwaitingL2InVain } from './awaited.ts';
import type { PortCommands } from './commands.ts';
import { driversOf } from './drivers/configured.ts';
import { type BindingCause, l2, type PortChanges, type PortEvent } from './events.ts';
import { migrationRules } from './migration.ts';
import { observationRules } from './observe.ts';
import { block, blockOf, lift } from './provisioning.ts';
import { bind, bindIfNeeded, changedInputs, type GivenInputs, requestBinding, unbind } from './rebinding.ts';
import { refuse } from './refusals.ts';
import { reportRules } from './reports.ts';
import { isBound, type Port } from './state.ts';
import { type PortFacts, type Surroundings, surroundingsOf } from './surroundings.ts';
import { Unfolding } from './unfolding.ts';
import { unplugged } from './vif.ts';

type Opening = 'CreatePort' | 'DeletePort' | 'ObservePort';

const lifeRules: Decide<Port | null, Pick<PortCommands, 'CreatePort' | 'DeletePort'>, PortEvent, PortFacts> = {
  CreatePort(port, { macAddress, host, vnicType, profile, ...given }, facts) {
    const { time, resource } = facts;
    const attributes = { ...given, macAddress: macAddress ?? macAddressOf(resource.id) };
    const inputs = { host, vnicType, profile };
    if (port && isAlive(port)) return existing(port, attributes, inputs);

    const it = Unfolding.ofNew(resource.id, attributes, time);
    const around = surroundingsOf(it.port, facts);
    const binding = changedInputs(it.port, inputs);
    if (binding) requestBinding(it, binding);
    awaitDhcpOfNew(it, around);
    bindIfNeeded(it, around, 'requested');
    it.settle('bound');
    return it.events;
  },

  DeletePort(port, _data, { resource }) {
    if (!port) return refuse('port-not-found', `There is no port ${resource.id}.`);
    return isAlive(port) ? [{ type: 'PortDeleted', data: {} }] : [];
  },
};

export const open: Decide<Port | null, Pick<PortCommands, Opening>, PortEvent, PortFacts> = {
  ...lifeRules,
  ...observationRules,
};

type Here =
  | 'UpdatePort'
  | 'BindPort'
  | 'UnbindPort'
  | 'AddProvisioningComponent'
  | 'RemoveProvisioningComponent'
  | 'SetPortStatus'
  | 'RepeatNotification'
  | 'RecordRefusedNotification'
  | 'ReconsiderPort';

const rules: Decide<Port, Pick<PortCommands, Here>, PortEvent, PortFacts> = {
  UpdatePort(port, { host, vnicType, profile, ...given }, facts) {
    return update(port, given, { host, vnicType, profile }, facts);
  },

  BindPort(port, inputs, facts) {
    return update(port, {}, inputs, facts);
  },

  UnbindPort(port, _data, { time }) {
    const it = new Unfolding(port, time);
    unbind(it);
    return it.events;
  },

  AddProvisioningComponent(port, { entity, host, reason }, { time }) {
    const it = new Unfolding(port, time);
    block(it, entity, reason, host);
    return it.events;
  },

  RemoveProvisioningComponent(port, { entity, reason }, { time }) {
    const it = new Unfolding(port, time);
    lift(it, entity, reason);
    return it.events;
  },

  SetPortStatus(port, { status, reason, retryable }, { time }) {
    if (status === 'ACTIVE' && port.status !== 'ACTIVE') requireActivatable(port);
    const it = new Unfolding(port, time);
    it.setStatus(status, 'set', {
      ...(reason !== undefined && { reason }),
      ...(retryable && status === 'ERROR' && { retryable }),
    });
    return it.events;
  },

  RepeatNotification({ refusedNotification }) {
    if (!refusedNotification) return [];
    const { server, name, status } = refusedNotification;
    return [{ type: 'NotificationRepeated', data: { server, name, ...(status !== undefined && { status }) } }];
  },

  RecordRefusedNotification: (_port, refused) => [{ type: 'NotificationRefused', data: refused }],

  /** A block that nobody can lift is lifted, a failed binding tried again, and one that nobody serves any more given up. */
  ReconsiderPort(port, { cause }, facts) {
    const it = new Unfolding(port, facts.time);
    const around = surroundingsOf(port, facts);
    const { host } = port.binding;
    stopAwaitingDhcp(it, around);
    bindIfNeeded(it, around, cause);
    if (blockOf(port, l2)?.host === host && !canReport(port, around)) {
      if (isBoundByAgent(port, around)) giveUp(it, around, cause);
      else stopAwaitingL2InVain(it);
    }
    it.settle('bound');
    return it.events;
  },
};

/** One entry a command. */
export const decide: Decide<Port, Omit<PortCommands, Opening>, PortEvent, PortFacts> = {
  ...rules,
  ...reportRules,
  ...migrationRules,
};

/** To a port that was bound without any agent no agent's absence matters, but that it need not be waited for. */
const isBoundByAgent = ({ binding }: Port, { drivers }: Surroundings): boolean =>
  isBound(binding) && drivers.some(({ name, agentType }) => name === binding.driver && agentType !== null);

/** Nobody on the host can report the port: unless another driver takes it, it is bound no longer. */
function giveUp(it: Unfolding, around: Surroundings, cause: BindingCause): void {
  bind(it, around, cause);
  if (!isBound(it.port.binding)) it.setStatus('DOWN', 'binding-changed');
}

/** Neutron's order: the attributes, the binding inputs, who is awaited, and then the drivers. */
function update(port: Port, given: PortChanges, givenInputs: GivenInputs, facts: PortFacts): PortEvent[] {
  const changes = changesOf(port, given);
  const inputs = changedInputs(port, givenInputs);
  requireUnplugged(port, changes, inputs);

  const it = new Unfolding(port, facts.time);
  const around = surroundingsOf(port, facts);
  if (Object.keys(changes).length > 0) it.add({ type: 'PortUpdated', data: { changes } });
  if (inputs) requestBinding(it, inputs);
  if (changes.fixedIps || changes.macAddress) awaitDhcpOfChanged(it, around);
  stopAwaitingDhcp(it, around);
  bindIfNeeded(it, around, inputs ? 'requested' : 'retried');
  if (changes.adminStateUp === false && !isServed(it.port, facts)) it.setStatus('DOWN', 'admin-state-down');
  it.settle(changes.adminStateUp ? 'admin-state-up' : 'bound');
  return it.events;
}

/** An agent takes down the ports it serves itself, when it asks next; others have nobody who would. */
const isServed = ({ binding }: Port, { settings = {} }: PortFacts): boolean =>
  driversOf(settings).some(({ name, reporter }) => name === binding.driver && reporter === 'agent');

/** A repeated CreatePort has nothing to do; one that wants another port is told how it differs. */
function existing(port: Port, attributes: object, inputs: GivenInputs): PortEvent[] {
  const differing = [
    ...Object.keys(changesOf(port, attributes)),
    ...Object.entries(inputs).flatMap(([name, value]) =>
      sameJson(port.binding[name as keyof GivenInputs], value) ? [] : [name],
    ),
  ];
  if (differing.length === 0) return [];
  return refuse('port-exists', `The port ${port.id} exists and differs in ${differing.join(', ')}.`, { differing });
}

/** What cannot change while the port's interface is in use. */
function requireUnplugged(
  { id, binding, otherBindings }: Port,
  changes: PortChanges,
  inputs: GivenInputs | null,
): void {
  if (changes.macAddress !== undefined && !unplugged.includes(binding.vifType)) {
    refuse('port-bound', `The port ${id} is bound to ${binding.host}: its MAC address cannot change.`);
  }
  if (!inputs) return;
  if (inputs.vnicType !== binding.vnicType && binding.vifType !== 'unbound') {
    refuse('port-in-use', `The port ${id} is ${binding.vnicType} on ${binding.host}.`);
  }
  if (inputs.host !== binding.host && otherBindings.some(({ host }) => host === inputs.host)) {
    refuse('binding-exists', `The port ${id} has an INACTIVE binding on ${inputs.host}: activate or remove it.`);
  }
}

function requireActivatable({ id, blocks, binding, adminStateUp }: Port): void {
  if (blocks.length > 0) {
    const entities = blocks.map(({ entity }) => entity);
    refuse('port-blocked', `The port ${id} still waits for ${entities.join(', ')}.`, { blocks });
  }
  if (!isBound(binding)) {
    const where = binding.host === null ? 'bound to no host' : `${binding.vifType} on ${binding.host}`;
    refuse('port-not-bound', `The port ${id} is ${where}.`, { allowed: ['BindPort'] });
  }
  if (!adminStateUp) refuse('port-admin-down', `The port ${id} is administratively down.`);
}
