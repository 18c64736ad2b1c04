import type { JsonObject } from '../kernel/json.ts';
import {
  type BindRequest,
  type MechanismDriver,
  type OfferedSegment,
  refused,
  type Verdict,
} from './drivers/mechanism-driver.ts';
import type { Evidence } from './events.ts';
import type { Port } from './state.ts';
import type { Surroundings } from './surroundings.ts';
import type { BindingInputs, BoundSegment } from './vif.ts';

/** Neutron's MAX_BINDING_LEVELS. */
const deepestLevel = 10;

/** What came of asking the drivers. */
export interface Attempt extends Evidence {
  readonly driver: string | null;
  readonly vifType: string;
  readonly vifDetails: JsonObject;
  readonly segments: BoundSegment[];
  readonly status: Extract<Verdict, { verdict: 'bound' }>['status'];
}

/**
 * Asks the drivers in turn, in the order in which they are configured; the first that binds the port wins. A driver may
 * carry it part of the way and hand it on: then all are asked again about what it offers, and where none takes that, its
 * successor is asked in its place. Null where there is nothing to bind to and no driver that could do without.
 */
export function tryDrivers(port: Port, inputs: BindingInputs & { host: string }, around: Surroundings): Attempt | null {
  const segments = offeredTo(port, around);
  const drivers = around.drivers;
  if (segments.length === 0 && !drivers.some(({ withoutSegments }) => withoutSegments)) return null;

  const { host, vnicType, profile } = inputs;
  const search: Search = {
    drivers,
    request: { portId: port.id, host, vnicType, profile: profile as JsonObject },
    agentOf: ({ agentType }) => (agentType === null ? null : around.agentOn(host, agentType)),
    hasAddress: port.fixedIps.length > 0,
    tried: [],
  };
  const found = descend(search, segments, []);
  return { ...(found ?? nothingFound), tried: search.tried, agents: agentsSeen(host, around) };
}

type Found = Omit<Attempt, keyof Evidence>;

const nothingFound: Found = {
  driver: null,
  vifType: 'binding_failed',
  vifDetails: {},
  segments: [],
  status: undefined,
};

interface Search {
  readonly drivers: readonly MechanismDriver[];
  readonly request: Omit<BindRequest, 'segments' | 'agent'>;
  readonly agentOf: (driver: MechanismDriver) => BindRequest['agent'];
  readonly hasAddress: boolean;
  readonly tried: Evidence['tried'];
}

function descend(search: Search, offered: readonly OfferedSegment[], above: readonly BoundSegment[]): Found | null {
  const level = above.length;
  if (level >= deepestLevel) return null;

  for (const driver of search.drivers) {
    const verdict = ask(search, driver, offered, above);
    if (verdict.verdict === 'refused') {
      search.tried.push({ driver: driver.name, level, outcome: verdict.code, reason: verdict.reason });
      continue;
    }
    const { segment } = verdict;
    const segments = segment ? [...above, { level, driver: driver.name, ...segment }] : [...above];
    if (verdict.verdict === 'bound') {
      search.tried.push({ driver: driver.name, level, outcome: 'bound' });
      const { vifType, vifDetails, status } = verdict;
      return { driver: driver.name, vifType, vifDetails, segments, status };
    }
    search.tried.push({ driver: driver.name, level, outcome: 'continued' });
    const found = descend(search, verdict.next, segments);
    if (found) return found;
  }
  return null;
}

/** What a driver says, or what keeps it from being asked. */
function ask(
  { request, agentOf, hasAddress }: Search,
  driver: MechanismDriver,
  segments: readonly OfferedSegment[],
  above: readonly BoundSegment[],
): Verdict {
  const { vnicType } = request;
  if (!driver.vnicTypes.includes(vnicType)) return refused('vnic-type', `it does not attach ${vnicType}`);
  if (!hasAddress && driver.connectivity !== 'l2')
    return refused('no-address', 'it routes, and the port has no address');
  if (segments.length === 0 && !driver.withoutSegments) return refused('no-segment', 'the network has no segments');
  const taken = above.filter((bound) => bound.driver === driver.name).map(({ id }) => id);
  if (segments.some(({ id }) => taken.includes(id)))
    return refused('bound-above', 'it has one of these segments already');
  try {
    return driver.bind({ ...request, segments, agent: agentOf(driver) });
  } catch (error) {
    return refused('error', `it failed: ${error instanceof Error ? error.message : String(error)}`);
  }
}

/** The network's segments; in a routed network, those of the subnets the port has addresses in. */
function offeredTo(port: Port, { network }: Surroundings): OfferedSegment[] {
  if (!network) return [];
  const own = new Set(port.fixedIps.map(({ subnetId }) => subnetId));
  const routed = network.subnets.flatMap(({ id, segmentId }) => (own.has(id) && segmentId !== null ? [segmentId] : []));
  const segments = routed.length === 0 ? network.segments : network.segments.filter(({ id }) => routed.includes(id));
  return segments.map((segment) => ({ ...segment, dynamic: false }));
}

function agentsSeen(host: string, around: Surroundings): Evidence['agents'] {
  const types = around.drivers.flatMap(({ agentType }) => agentType ?? []);
  return types.flatMap((type) => {
    const agent = around.agentOn(host, type);
    if (!agent) return [];
    const { alive, adminStateUp, silentSince } = agent;
    return [{ type, alive, adminStateUp, silentSince }];
  });
}
