import { readFileSync } from 'node:fs';
import type { JsonObject } from '../../../../src/domain/kernel/json.ts';

/** What Neutron's own plugin did, recorded step by step. See NOTICE. */
export interface Scenario {
  name: string;
  setup: {
    mechanismDrivers?: string[] | null;
    agents?: (AgentOf & { configurations: JsonObject; alive?: boolean; adminStateUp?: boolean })[] | null;
    segments?: { type: string; physnet?: string; id?: number }[] | null;
    subnet?: { enableDhcp: boolean } | null;
    dhcpAgent?: { hostsNetwork?: boolean; alive?: boolean } | null;
    scriptedDrivers?: ScriptedDriver[] | null;
  };
  steps: Step[];
}

export interface AgentOf {
  type: string;
  host: string;
}

export interface ScriptedDriver {
  name: string;
  connectivity?: 'l2' | 'l3';
  on: Record<
    string,
    {
      action: 'set' | 'continue' | 'raise';
      vifType?: string;
      status?: 'ACTIVE' | 'BUILD' | 'DOWN' | 'ERROR';
      next?: { type: string; physnet?: string };
      sameSegment?: boolean;
    }
  >;
}

export interface Step {
  op: string;
  args?: Args;
  port?: string;
  concurrently?: Interference | Interference[];
  concurrentlyBeforeCommit?: Interference;
  failPrecommit?: boolean;
  expect: {
    result?: JsonObject;
    error?: { type: string };
    state: PortState | null;
    novaEvents: NovaEvent[];
    trace: string[];
  };
}

export type Args = Partial<{
  type: string;
  host: string | null;
  seconds: number;
  host_id: string;
  vnic_type: string;
  profile: JsonObject | null;
  device_owner: string;
  device_id: string;
  no_fixed_ips: boolean;
  new_fixed_ip: boolean;
  admin_state_up: boolean;
  name: string;
  mac_address: string;
  status: string;
  configurations: JsonObject;
  up: string[];
  down: string[];
}>;

/** What another worker does while the step is under way. */
export interface Interference {
  onAttempt: number | 'every';
  do: string;
  value?: unknown;
}

export interface NovaEvent {
  name: string;
  status?: string;
}

/** As it is compared: of a deletion there is no status. */
export const novaEvent = ({ name, status }: NovaEvent): NovaEvent =>
  name === 'network-vif-deleted' ? { name } : { name, status: status! };

export interface PortState {
  status: string;
  adminStateUp: boolean;
  blocks: string[];
  bindings: BindingState[];
}

export interface BindingState {
  host: string;
  bindingStatus: 'ACTIVE' | 'INACTIVE';
  vifType: string;
  vnicType: string;
  profile: JsonObject;
  vifDetails: JsonObject;
  levels: {
    level: number;
    driver: string;
    segment: { type: string; physnet: string | null; id: unknown; dynamic: boolean };
  }[];
}

const file = new URL('../../../vectors/neutron/binding-vectors.json', import.meta.url);
export const scenarios = JSON.parse(readFileSync(file, 'utf8')) as Scenario[];
