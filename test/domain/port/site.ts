import { agentRef, agentTypes } from '../../../src/domain/agent/identity.ts';
import type { Flow, FlowCommand, FlowEvent } from '../../../src/domain/flows/flow.ts';
import { portToServer } from '../../../src/domain/flows/port-to-server.ts';
import { reconsiderPorts } from '../../../src/domain/flows/reconsider-ports.ts';
import type { Search, SearchingFlow } from '../../../src/domain/flows/searching-flow.ts';
import { unscheduleDeletedDhcpAgents } from '../../../src/domain/flows/unschedule-deleted-dhcp-agents.ts';
import type { Related } from '../../../src/domain/kernel/aggregate.ts';
import type { JsonObject } from '../../../src/domain/kernel/json.ts';
import { type Kind, type ResourceRef, resourceOf, streamOf } from '../../../src/domain/kernel/resource.ts';
import type { Network } from '../../../src/domain/network/state.ts';
import type { MechanismDriver } from '../../../src/domain/port/drivers/mechanism-driver.ts';
import type { Port } from '../../../src/domain/port/state.ts';
import type { Outcome } from '../../../src/runtime/command.ts';
import type { EventStore } from '../../../src/store/event-store.ts';
import { openStore } from '../../../src/store/open-store.ts';
import { collect, executor, nthId, openLedger, slugOf, typesOf } from '../../support/ledger.ts';
import { networkId, subnetId, surroundingsBy } from './surroundings.ts';

export const serverId = 'aaaaaaaa-0000-4000-8000-000000000001';

export type Site = Awaited<ReturnType<typeof openSite>>;

/**
 * A site on a real runtime: ports, agents, networks and the flows between them. Time passes when it is told to, and
 * flows run when they are told to. Servers are not part of it: what they are told is kept.
 */
export async function openSite(mechanismDrivers?: readonly MechanismDriver[]) {
  const hooks: Hooks = new Map();
  const settings = { ...(mechanismDrivers && { mechanismDrivers }) };
  const bare = await openStore('memory:', { clock: 'manual', now: () => 0 });
  let racesLost = 0;
  const observer = { raceLost: () => void racesLost++ };
  const { store, runtime, clock, execute } = await openLedger({
    store: hooked(bare, hooks),
    settings,
    observer,
  });
  const lost = () => racesLost;

  const seen = new Set<string>();
  const told: FlowCommand[] = [];
  const refusedByFlows: string[] = [];
  let position: string | undefined;

  const stateOf = async <S>(resource: ResourceRef): Promise<S | null> =>
    ((await runtime.current(resource))?.state ?? null) as S | null;

  const all = async <S>(kind: Kind): Promise<S[]> => {
    const ids = [...seen].map((stream) => resourceOf(stream)!).filter((resource) => resource.kind === kind);
    const states = await Promise.all(ids.map((resource) => stateOf<S & { deletedAt?: string }>(resource)));
    return states.filter((state) => state !== null && state.deletedAt === undefined) as S[];
  };

  /** Runs the flows over everything that has happened since the last time, and over what that leads to. */
  async function settle(): Promise<void> {
    for (let more = true; more; ) {
      more = false;
      for await (const recorded of store.readAll({ ...(position !== undefined && { after: position }) })) {
        more = true;
        position = recorded.position;
        seen.add(recorded.stream);
        const { id, revision, type, time, data } = recorded;
        const event: FlowEvent = {
          id,
          resource: resourceOf(recorded.stream)!,
          revision,
          type,
          time,
          data: data as JsonObject,
        };
        for (const flow of [portToServer, reconsiderPorts, unscheduleDeletedDhcpAgents]) await run(flow, event);
      }
    }
  }

  async function find(search: Search): Promise<ResourceRef[]> {
    const { kind } = search;
    const candidates = kind === 'port' ? await all<Port>('port') : await all<Network>('network');
    return candidates.filter((candidate) => matches(search, candidate)).map(({ id }) => ({ kind, id }));
  }

  async function run(flow: Flow | SearchingFlow, event: FlowEvent): Promise<void> {
    if (!flow.types.includes(event.type)) return;
    const known = new Map<string, unknown>();
    const related: Related = {
      stateOf: (resource) => known.get(streamOf(resource)) ?? null,
      heardAt: (resource) => runtime.heardAt(resource),
    };
    for (;;) {
      const missing = (flow.needs?.(event, related) ?? []).filter((resource) => !known.has(streamOf(resource)));
      if (missing.length === 0) break;
      for (const resource of missing)
        known.set(streamOf(resource), resource.kind === 'server' ? {} : await stateOf(resource));
    }
    const searches = 'search' in flow ? flow.search(event, related) : [];
    const found = (await Promise.all(searches.map(find))).flat();
    for (const [index, command] of flow.react(event, related, found).entries()) {
      if (command.resource.kind === 'server') {
        told.push(command);
        continue;
      }
      const actor = { type: 'system', id: flow.name } as const;
      const outcome = await runtime.execute({ ...command, actor, key: `${flow.name}/${event.id}/${index}` });
      if (outcome.outcome === 'refused') refusedByFlows.push(outcome.refusal.message);
    }
  }

  const port = (id: string, type: string, data: object = {}): Promise<Outcome> => execute('port', id, type, data);

  return {
    store,
    runtime,
    clock,
    execute,
    port,
    settle,
    ...surroundingsBy({ execute, advance: (seconds) => clock.advance(seconds * 1000) }),
    told,
    refusedByFlows,
    racesLost: lost,
    portState: (id: string) => stateOf<Port>({ kind: 'port', id }),

    /** Another process on the same ledger. */
    async rival(drivers = mechanismDrivers) {
      const other = await openLedger({
        store: bare,
        clock,
        settings: { ...(drivers && { mechanismDrivers: drivers }) },
      });
      return executor(other.runtime);
    },

    /** Nobody interferes any more. */
    undisturbed: () => hooks.clear(),

    interfering: interferingBy(hooks),
  };
}

/** What happens before the next append to a stream. */
export type Hooks = Map<string, () => Promise<void>>;

/** Runs `interfere` when something of the port is about to be stored, which then loses the race; again if it says so. */
export const interferingBy = (hooks: Hooks) =>
  function interfering(portId: string, interfere: () => Promise<boolean>): void {
    const stream = `port-${portId}`;
    hooks.set(stream, async () => {
      hooks.delete(stream); // what interferes is not interfered with
      if (await interfere()) interfering(portId, interfere);
    });
  };

/**
 * Carries out appends in the order in which they are asked for, and after one that failed none that was asked for before
 * its failure was known: those were decided on top of it.
 */
export function hooked(store: EventStore, hooks: Hooks): EventStore {
  let last: Promise<unknown> = Promise.resolve();
  let asked = 0;
  const lostUpTo = new Map<string, number>();
  const neverReached = Number.MAX_SAFE_INTEGER - 1;

  const append: EventStore['append'] = (request) => {
    const { stream } = request;
    const number = asked++;
    const appended = last.then(async () => {
      await hooks.get(stream)?.();
      const onLostGround = number <= (lostUpTo.get(stream) ?? -1);
      return store.append(onLostGround ? { ...request, expectedRevision: neverReached } : request);
    });
    last = appended.catch(() => lostUpTo.set(stream, asked - 1));
    return appended;
  };
  return new Proxy(store, {
    get(target, name) {
      if (name === 'append') return append;
      const value = Reflect.get(target, name, target) as unknown;
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}

function matches(search: Search, resource: Port | Network): boolean {
  if ('dhcpHost' in search) return (resource as Network).dhcpAgents.some(({ host }) => host === search.dhcpHost);
  if (search.kind !== 'port') return false;
  const { binding, blocks, networkId: network } = resource as Port;
  if ('vifType' in search) return binding.host === search.host && binding.vifType === search.vifType;
  const place = 'host' in search ? binding.host === search.host : network === search.networkId;
  return place && blocks.some(({ entity }) => entity === search.blockedBy);
}

const ovsConfiguration = { bridge_mappings: { physnet1: 'br-physnet1' }, tunnel_types: ['vxlan'] };

export const ovsOn = (host: string): ResourceRef => agentRef(host, agentTypes.openVswitch);

/** The server's port in the network, with an address. */
export const serverPort = {
  networkId,
  fixedIps: [{ subnetId, ipAddress: '10.0.0.2' }],
  deviceOwner: 'compute:nova',
  deviceId: serverId,
};

/** A network on physnet1, and hosts with an Open vSwitch agent each that reach it. */
export async function openUsualSite({ hosts = ['host-a', 'host-b'], dhcp = false, drivers }: UsualSite = {}) {
  const site = await openSite(drivers);
  await site.createNetwork([{ networkType: 'vlan', physicalNetwork: 'physnet1', segmentationId: 10 }]);
  if (dhcp) await site.scheduleDhcp();
  for (const host of hosts) await site.registerAgent(ovsOn(host), ovsConfiguration);
  await site.settle();

  /** Gives a command to the site's one port, lets the flows run, and says which events it led to. */
  async function tell(type: string, data: object = {}, id = nthId(1)): Promise<string[]> {
    const outcome = await site.port(id, type, data);
    await site.settle();
    return typesOf(outcome);
  }
  const refusal = async (type: string, data: object = {}): Promise<string | null> =>
    slugOf(await site.port(nthId(1), type, data));
  const state = async (id = nthId(1)): Promise<Port> => (await site.portState(id))!;
  const history = async (id = nthId(1)) => collect(site.store.readStream(`port-${id}`));

  return { ...site, tell, refusal, state, history };
}

interface UsualSite {
  hosts?: string[];
  dhcp?: boolean;
  drivers?: readonly MechanismDriver[];
}
