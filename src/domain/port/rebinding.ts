import { sameJson } from '../kernel/json.ts';
import { awaitL2, canReport, stopAwaitingL2 } from './awaited.ts';
import { type Attempt, tryDrivers } from './binding.ts';
import { type BindingCause, type Evidence, l2, portAttributes } from './events.ts';
import { complete } from './provisioning.ts';
import { isBound, type Port } from './state.ts';
import type { Surroundings } from './surroundings.ts';
import type { Unfolding } from './unfolding.ts';
import type { BindingInputs } from './vif.ts';

/** Inputs as a caller gives them: what is left out stays as it is. */
export type GivenInputs = { readonly [K in keyof BindingInputs]?: BindingInputs[K] | undefined };

/** The inputs as they will be, or null where none changes. */
export function changedInputs({ binding }: Port, given: GivenInputs): BindingInputs | null {
  const { host, vnicType, profile } = binding;
  const inputs = {
    host: given.host === undefined ? host : given.host,
    vnicType: given.vnicType ?? vnicType,
    profile: given.profile ?? profile,
  };
  return sameJson(inputs, { host, vnicType, profile }) ? null : inputs;
}

/** Neutron: any change of host, vnic type or profile takes the port down and what was bound away. */
export function requestBinding(it: Unfolding, inputs: BindingInputs): void {
  if (inputs.host === null) unbind(it);
  if (sameJson(inputs, inputsOf(it.port))) return;
  const left = it.port.binding;
  it.add({ type: 'BindingRequested', data: { ...inputs, generation: it.port.lastGeneration + 1 } });
  it.setStatus('DOWN', 'binding-changed', {}, left);
  if (inputs.host !== left.host) stopAwaitingL2(it, left.host, `moved from ${left.host}`);
}

/** The port is nowhere from now on, and waits for nobody there. */
export function unbind(it: Unfolding): void {
  const left = it.port.binding;
  const { host } = left;
  if (host === null) return;
  it.add({ type: 'PortUnbound', data: { host, generation: it.port.lastGeneration + 1 } });
  it.setStatus('DOWN', 'unbound', {}, left);
  stopAwaitingL2(it, host, `unbound from ${host}`);
}

/** Neutron's bind-if-needed: a port that has a host and is not bound there, never was or in vain, is tried. */
export function bindIfNeeded(it: Unfolding, around: Surroundings, cause: BindingCause): void {
  const { binding } = it.port;
  if (binding.host === null || isBound(binding)) return;
  awaitL2(it, around);
  bind(it, around, cause);
}

/** Asks the drivers and keeps what they said. A failure that is the same as before is no news. */
export function bind(it: Unfolding, around: Surroundings, cause: BindingCause): void {
  const { host, vnicType, profile, failure } = it.port.binding;
  const attempt = host === null ? null : tryDrivers(it.port, { host, vnicType, profile }, around);
  if (host === null || attempt === null) return;

  const { driver, vifType, vifDetails, segments, tried, agents } = attempt;
  if (vifType === 'binding_failed') {
    const known = failure !== null && sameFindings(failure, attempt);
    if (!known) it.add({ type: 'PortBindingFailed', data: { host, segments, tried, agents, cause } });
    if (!canReport(it.port, around)) stopAwaitingL2(it, host, `nobody is left on ${host} to report`);
    return;
  }
  // An agent that asks how to wire the port is about to: what it reported before is of no use any more.
  const early = cause !== 'agent-asked' && it.port.earlyReports.some((report) => report.host === host);
  it.add({ type: 'PortBound', data: { host, driver, vifType, vifDetails, segments, tried, agents, cause } });
  land(it, around, { host, early, status: attempt.status });
}

interface Landing {
  readonly host: string;
  /** Its host has wired the port before it was bound there. */
  readonly early: boolean;
  readonly status: Attempt['status'];
}

/** What follows from a binding. A driver may answer for the port itself. */
function land(it: Unfolding, around: Surroundings, { host, early, status }: Landing): void {
  takeDeviceAddress(it);
  if (early || status === 'ACTIVE') complete(it, l2, host);
  else awaitL2(it, around);
  if (status === 'ERROR' || status === 'BUILD') it.setStatus(status, 'driver');
}

/** A whole network card brings its own address. */
function takeDeviceAddress(it: Unfolding): void {
  const { vnicType, profile } = it.port.binding;
  if (vnicType !== 'direct-physical') return;
  const macAddress = portAttributes.macAddress.safeParse(profile.device_mac_address).data;
  if (macAddress === undefined || macAddress === it.port.macAddress) return;
  it.add({ type: 'PortUpdated', data: { changes: { macAddress } } });
}

const inputsOf = ({ binding: { host, vnicType, profile } }: Port): BindingInputs => ({ host, vnicType, profile });

/** Whether two attempts found the same; an agent that was heard again since is no news. */
const sameFindings = (a: Evidence, b: Evidence): boolean => sameJson(findings(a), findings(b));

const findings = ({ tried, agents }: Evidence) => ({
  tried,
  agents: agents.map(({ type, alive, adminStateUp }) => ({ type, alive, adminStateUp })),
});
