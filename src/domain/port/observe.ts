import type { z } from 'zod';
import { type Decide, isAlive } from '../kernel/aggregate.ts';
import { isLate, isLater } from '../kernel/observation.ts';
import { changesOf, macAddressOf } from './attributes.ts';
import type { PortCommands } from './commands.ts';
import { type DataOf, type PortEvent, type PortStatus, portStatuses } from './events.ts';
import { changedInputs, requestBinding } from './rebinding.ts';
import { isBound, type Port } from './state.ts';
import type { PortFacts } from './surroundings.ts';
import { isReady, Unfolding } from './unfolding.ts';

type Observed = z.output<PortCommands['ObservePort']>;

/** A port as another system shows it: the ledger takes that over, and says whether it could have been foreseen. */
export const observationRules: Decide<Port | null, Pick<PortCommands, 'ObservePort'>, PortEvent, PortFacts> = {
  ObservePort(port, observed, facts) {
    if (port && !observed.deleted && isLate(port, observed.observedAt)) return recordLate(port, observed);
    const it = port ? new Unfolding(port, facts.time) : discovered(observed, facts);
    const unexpected = port ? !couldBecome(port, observed) : isForeign(observed.status);
    const lives = isAlive(it.port);
    if (lives) takeOver(it, observed);
    const isNews = lives ? isLater(it.port.observation, observed.observedAt) : !isKnown(it.port, observed);
    if (it.events.length === 0 && !isNews) return [];
    it.add({ type: 'PortObserved', data: observationOf(observed, { unexpected, late: false }) });
    return it.events;
  },
};

/** History that comes after what followed it. */
function recordLate({ lateObservation: known }: Port, observed: Observed): PortEvent[] {
  const data = observationOf(observed, { unexpected: false, late: true });
  const isRepeated =
    known !== null && Object.entries(data).every(([field, value]) => known[field as keyof typeof data] === value);
  return isRepeated ? [] : [{ type: 'PortObserved', data }];
}

const isForeign = (status: PortStatus): boolean => !(portStatuses as readonly string[]).includes(status);

function discovered(observed: Observed, { time, resource }: PortFacts): Unfolding {
  const { name = '', projectId = '', networkId = null, fixedIps = [], adminStateUp = true } = observed;
  const { macAddress = macAddressOf(resource.id), deviceId = '', deviceOwner = '' } = observed;
  const device = { macAddress, fixedIps, deviceId, deviceOwner };
  return Unfolding.ofNew(resource.id, { name, projectId, networkId, ...device, adminStateUp }, time);
}

/** The attributes, the binding, the status; and whoever was awaited has done his part where all is said to work. */
function takeOver(it: Unfolding, observed: Observed): void {
  const { name, macAddress, fixedIps, deviceId, deviceOwner, adminStateUp, status, source, deleted } = observed;
  const attributes = { name, macAddress, fixedIps, deviceId, deviceOwner, adminStateUp };
  const given = Object.fromEntries(Object.entries(attributes).filter(([, value]) => value !== undefined));
  const changes = changesOf(it.port, given);
  if (Object.keys(changes).length > 0) it.add({ type: 'PortUpdated', data: { changes } });
  takeOverBinding(it, observed);
  if (status === 'ACTIVE') {
    for (const { entity } of it.port.blocks) {
      it.add({
        type: 'ProvisioningComponentRemoved',
        data: { entity, reason: `${source} says that the port is ACTIVE` },
      });
    }
  }
  it.setStatus(status, 'observed', { reason: source });
  if (deleted) it.add({ type: 'PortDeleted', data: {} });
}

/** Where only the host is known, a port that works there is bound in some way. */
function takeOverBinding(it: Unfolding, { host, vnicType, profile, vifType, vifDetails = {}, status }: Observed): void {
  const inputs = changedInputs(it.port, { host, vnicType, profile });
  if (inputs) requestBinding(it, inputs);
  const { binding } = it.port;
  const seen = vifType ?? (status === 'ACTIVE' && !isBound(binding) ? 'other' : binding.vifType);
  if (binding.host === null || seen === binding.vifType || seen === 'unbound') return;
  const data = { host: binding.host, segments: [], tried: [], agents: [], cause: 'observed' as const };
  if (seen === 'binding_failed') it.add({ type: 'PortBindingFailed', data });
  else it.add({ type: 'PortBound', data: { ...data, driver: null, vifType: seen, vifDetails } });
}

/** Whether the rules could have led there by themselves. */
function couldBecome(port: Port, { status, deleted }: Observed): boolean {
  if (!isAlive(port)) return deleted;
  const { status: from } = port;
  const ways: Readonly<Record<string, boolean>> = {
    ACTIVE: isReady(port),
    BUILD: isBound(port.binding),
    DOWN: true,
  };
  return from === status || (ways[status] ?? false);
}

const observationOf = (observed: Observed, judged: { unexpected: boolean; late: boolean }): DataOf<'PortObserved'> => {
  const { source, observedAt, status, deleted } = observed;
  return { source, observedAt: observedAt ?? null, status, deleted, ...judged };
};

/** News of a deleted port is kept once, and changes nothing. */
function isKnown({ observation }: Port, { source, status, deleted }: Observed): boolean {
  return deleted || (observation?.source === source && observation.status === status && observation.unexpected);
}
