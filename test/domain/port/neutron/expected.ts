import type { BindingState, NovaEvent, PortState, Scenario, Step } from './vectors.ts';

/**
 * What the port should be after each step: what was recorded, and the rules by which this project means to differ. Each
 * rule is applied to what was recorded, and what follows from it later is carried along, so that the steps after it are
 * compared as well. docs/decisions/0101 to 0113 say why.
 */
export class Expected {
  /** Null where there is no port. */
  state: PortState | null = null;
  /** What the server is told. */
  novaEvents: NovaEvent[] = [];
  /** The port as recorded, before this step. */
  #recorded: PortState | null = null;
  /** Everybody has reported, and the port would be ACTIVE if it were bound and administratively up. */
  #provisioned = false;
  /** The host has reported the port, and has not been asked to wire it anew since. */
  #wired = false;
  /** The host must report before the port can be ACTIVE, whether or not there is a block that says so. */
  #mustWire = false;
  /** This step takes the port down. */
  #lowered = false;
  /** Hosts that reported while the port was nowhere, and the one it had been unbound from. */
  readonly #early = new Set<string>();
  #formerHost = '';
  /** Hosts of INACTIVE bindings that have reported. */
  readonly #wiredElsewhere = new Set<string>();
  /** Blocks that are gone because a driver set ACTIVE. */
  readonly #overruled = new Set<string>();
  readonly #agentHosts: Set<string>;
  #owner = 'compute:nova';
  #device = serverLike;

  constructor({ setup }: Scenario) {
    this.#agentHosts = new Set((setup.agents ?? []).map(({ host }) => host));
  }

  step(step: Step): void {
    const before = this.state;
    const recorded = step.expect.state;
    const { device_owner = this.#owner, device_id = this.#device, host } = step.args ?? {};
    if (step.op === 'report_state') this.#agentHosts.add(host!);
    [this.#owner, this.#device] = [device_owner, device_id];
    const tellsServer = device_owner.startsWith('compute:') && device_id.length === serverLike.length;
    this.state = recorded && this.#corrected(step, before, structuredClone(recorded));
    this.novaEvents = tellsServer ? this.#told(step, before, this.state) : [];
    this.#recorded = recorded;
  }

  #corrected(step: Step, before: PortState | null, after: PortState): PortState {
    const binding = active(after)!;
    after.bindings = after.bindings.filter(({ host, bindingStatus }) => host !== '' || bindingStatus === 'ACTIVE');
    const counts = this.#follow(step, before, after, binding);
    after.blocks = after.blocks.filter((entity) => !this.#overruled.has(entity) && this.#isAwaited(entity, binding));
    if (counts && after.blocks.length === 0) this.#provisioned = true;
    after.status = this.#statusOf(step, before, after, binding);
    return after;
  }

  /** Notes what the step means; whether somebody's report counts by it. */
  #follow({ op, args = {} }: Step, before: PortState | null, after: PortState, binding: BindingState): boolean {
    const from = active(before);
    const moved = from !== undefined && from.host !== binding.host;
    const changed = from !== undefined && !same(from.profile, binding.profile);
    if (moved) this.#leave(from.host, binding.host);
    else if (changed) this.#unwire();

    const host = args.host ?? binding.host;
    const here = host === binding.host && host !== '';
    const up = op === 'update_device_up' || (args.up ?? []).includes('P');
    const down = op === 'update_device_down' || (args.down ?? []).includes('P');
    if (up && binding.host === '' && host !== this.#formerHost) this.#early.add(host);
    if (down) this.#early.delete(host);
    if (down && here) this.#unwire(true);
    this.#lowered = moved || changed || (down && here);
    if (isDetails(op) && here && before?.status === 'ACTIVE') this.#unwire();
    if (op === 'update_port_status') this.#setFromOutside(args.status!, before);
    const answered = /^(create|update)_port$/.test(op) && isBound(binding) && this.#turnsActive(after);
    if (answered) this.#overruled.add('L2');
    if (up && here) [this.#wired, this.#mustWire] = [true, false];

    const landed = this.#early.has(binding.host) && isBound(binding);
    if (landed) {
      this.#wired = true;
      this.#early.clear();
      this.#overruled.add('L2');
    }
    return (up && here) || landed || answered || (op === 'dhcp_ready' && before!.blocks.includes('DHCP'));
  }

  /** A driver answers for a port by binding it. */
  #turnsActive({ status }: PortState): boolean {
    return status === 'ACTIVE' && this.#recorded?.status !== 'ACTIVE';
  }

  #leave(from: string, to: string): void {
    this.#unwire();
    [this.#wired, this.#mustWire] = [false, false];
    this.#overruled.clear();
    this.#formerHost = to === '' ? from : '';
    for (const host of this.#early) if (to !== '' && host !== to) this.#early.delete(host);
  }

  /** What was done must be done again; by the host too, if it had done its part, or says that it is undone. */
  #unwire(said = this.#wired): void {
    this.#provisioned = false;
    this.#mustWire ||= said;
  }

  #setFromOutside(status: string, before: PortState | null): void {
    this.#provisioned = false;
    if (status === 'ACTIVE') for (const entity of before?.blocks ?? []) this.#overruled.add(entity);
  }

  /** Nobody waits for an agent where there is none: nowhere, or on a host without one. */
  #isAwaited(entity: string, { host }: BindingState): boolean {
    return entity !== 'L2' || (this.#agentHosts.has(host) && !this.#early.has(host));
  }

  #statusOf({ op, args = {} }: Step, before: PortState | null, after: PortState, binding: BindingState): string {
    const earlier = before?.status ?? 'DOWN';
    const asked = isDetails(op) && isBound(binding) && args.host === binding.host;
    if (asked && this.#provisioned && earlier !== after.status) this.#unwire();
    if (asked) return after.status;

    const ready = isBound(binding) && after.adminStateUp && after.blocks.length === 0 && !this.#mustWire;
    if (ready && this.#provisioned) return 'ACTIVE';
    if (this.#lowered) return after.status;

    const unchanged = this.#recorded?.status === after.status;
    const unasked = op === 'dhcp_ready' && !before!.blocks.includes('DHCP') && !unchanged;
    if (unasked) this.#mustWire = true;
    if (!unchanged && (after.status !== 'ACTIVE' || (ready && !unasked))) return after.status;
    return earlier === 'ACTIVE' && after.blocks.length > 0 ? 'BUILD' : earlier;
  }

  /** Neutron's table of what a change of status tells. A report of an INACTIVE binding's host is told once. */
  #told({ op, args = {} }: Step, before: PortState | null, after: PortState | null): NovaEvent[] {
    if (!after) return before ? [{ name: 'network-vif-deleted' }] : [];
    for (const host of this.#wiredElsewhere) if (!isInactiveOn(after, host)) this.#wiredElsewhere.delete(host);
    const host = args.host ?? '';
    if (op === 'update_device_down') this.#wiredElsewhere.delete(host);
    if (op === 'update_device_up' && isInactiveOn(after, host) && !this.#wiredElsewhere.has(host)) {
      this.#wiredElsewhere.add(host);
      return [{ name: 'network-vif-plugged', status: 'completed' }];
    }
    const change = `${before?.status ?? 'DOWN'} ${after.status}`;
    return statusEvents[change] ? [statusEvents[change]] : [];
  }
}

const serverLike = 'aaaaaaaa-0000-4000-8000-000000000001';

const plugged = { name: 'network-vif-plugged', status: 'completed' };
const statusEvents: Record<string, NovaEvent> = {
  'DOWN ACTIVE': plugged,
  'BUILD ACTIVE': plugged,
  'DOWN ERROR': { name: 'network-vif-plugged', status: 'failed' },
  'BUILD ERROR': { name: 'network-vif-plugged', status: 'failed' },
  'ACTIVE DOWN': { name: 'network-vif-unplugged', status: 'completed' },
};

const active = (state: PortState | null) => state?.bindings.find(({ bindingStatus }) => bindingStatus === 'ACTIVE');
const isInactiveOn = (state: PortState, host: string): boolean =>
  state.bindings.some((binding) => binding.host === host && binding.bindingStatus === 'INACTIVE');
const isBound = ({ host, vifType }: BindingState): boolean =>
  host !== '' && vifType !== 'unbound' && vifType !== 'binding_failed';
const isDetails = (op: string): boolean => op.startsWith('get_device');
const same = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b);
