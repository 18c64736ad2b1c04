import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { fold, isAlive } from '../../../src/domain/kernel/aggregate.ts';
import type { Network } from '../../../src/domain/network/state.ts';
import { portAggregate } from '../../../src/domain/port/index.ts';
import { isBound, type Port } from '../../../src/domain/port/state.ts';
import type { Outcome } from '../../../src/runtime/command.ts';
import { nthId } from '../../support/ledger.ts';
import { type Given, hosts, portCommand } from './commands.ts';
import { openUsualSite, ovsOn } from './site.ts';
import { dhcpHost, networkId, subnetId } from './surroundings.ts';

const ports = [nthId(1), nthId(2)];
const ovsConfiguration = { bridge_mappings: { physnet1: 'br-physnet1' }, tunnel_types: ['vxlan'] };

type Site = Awaited<ReturnType<typeof openUsualSite>>;

/** A site, and the commands that are on their way in it. */
interface World {
  readonly site: Site;
  readonly underWay: Promise<unknown>[];
}

/** Waits for what is under way, lets the flows run, and looks at every port. */
async function quiesce({ site, underWay }: World): Promise<void> {
  await Promise.all(underWay.splice(0));
  await site.settle();
  for (const id of ports) {
    await neverActiveInVain(site, id);
    const port = await freshState(site, id);
    if (port && isAlive(port)) await awaitsOnlyWhoCanReport(site, port);
  }
}

/** As the ledger tells it, whatever a process remembers. */
async function freshState({ store }: Site, id: string): Promise<Port | null> {
  let port: Port | null = null;
  for await (const event of store.readStream(`port-${id}`)) port = fold(portAggregate, id, port, event);
  return port;
}

const hostOf = (port: Port | null): string | null => port?.binding.host ?? null;

/** After each append, not only in the end. */
async function neverActiveInVain({ store }: Site, id: string): Promise<void> {
  let port = null as Port | null;
  let takenDown = false;
  let commandId: unknown;
  const look = (): void => {
    if (!port || !isAlive(port)) return;
    const { status, blocks, binding, otherBindings, round, adminStateUp } = port;
    const bound = isBound(binding);
    const ready = round.provisioned && blocks.length === 0 && adminStateUp && bound && binding.device !== 'down';
    if (status === 'ACTIVE')
      expect({ blocks, bound, takenDown }).toEqual({ blocks: [], bound: true, takenDown: false });
    if (ready) expect(status).toBe('ACTIVE');
    expect(otherBindings.map(({ host }) => host)).not.toContain(binding.host);
  };
  for await (const event of store.readStream(`port-${id}`)) {
    if (event.metadata.commandId !== commandId) look();
    commandId = event.metadata.commandId;
    const bound = hostOf(port);
    port = fold(portAggregate, id, port, event);
    if (event.type === 'DeviceDownReported' && event.data.host === bound) takenDown = true;
    if (event.type === 'ProvisioningComponentCompleted' && event.data.entity === 'L2') takenDown = false;
    if (hostOf(port) !== bound) takenDown = false;
  }
  look();
}

async function awaitsOnlyWhoCanReport({ runtime }: Site, { blocks, binding }: Port): Promise<void> {
  for (const { entity, host } of blocks) {
    if (entity === 'L2') {
      expect(host).toBe(binding.host);
      const agent = await runtime.current(ovsOn(host!));
      expect(agent && agent.deletedAt === undefined, `L2 of ${host}`).toBe(true);
    }
    if (entity === 'DHCP') {
      const network = (await runtime.current({ kind: 'network', id: networkId }))!.state as unknown as Network;
      expect(network.dhcpAgents.length > 0 && network.subnets[0]!.enableDhcp, 'DHCP').toBe(true);
    }
  }
}

type Command = fc.AsyncCommand<object, World>;

const always = { check: () => true };

const described = ([type, data]: Given): string => `${type} ${JSON.stringify(data)}`;

/** A command is given and not waited for. Another process may be faster: then it is decided again on what that left. */
class Give implements Command {
  readonly check = always.check;
  readonly port: string;
  readonly given: Given;
  readonly faster: Given | null;

  constructor(port: string, given: Given, faster: Given | null = null) {
    this.port = port;
    this.given = given;
    this.faster = faster;
  }

  async run(_model: object, { site, underWay }: World): Promise<void> {
    const { faster, port } = this;
    if (faster) {
      const rival = await site.rival();
      site.interfering(port, async () => {
        await rival('port', port, ...faster);
        return false;
      });
    }
    underWay.push(site.execute('port', port, ...this.given));
  }

  toString = (): string =>
    `${this.port.slice(-1)}: ${described(this.given)}${this.faster ? ` (overtaken by ${described(this.faster)})` : ''}`;
}

/** Once nothing else is under way, a command is given twice: the second has nothing to do. */
class Repeat extends Give {
  override async run(_model: object, world: World): Promise<void> {
    await quiesce(world);
    const give = (): Promise<Outcome> => world.site.execute('port', this.port, ...this.given);
    const first = await give();
    const second = await give();
    expect(second.outcome).toBe(first.outcome);
    if (second.outcome === 'done') expect(second.eventsText).toBe('[]');
  }

  override toString = (): string => `${this.port.slice(-1)}: twice ${described(this.given)}`;
}

/** Something happens to what the ports depend on. */
class Happen implements Command {
  readonly check = always.check;
  readonly what: string;
  readonly happen: (site: Site) => Promise<unknown>;
  /** Time passes, so nothing may be under way. */
  readonly alone: boolean;

  constructor(what: string, happen: (site: Site) => Promise<unknown>, alone = false) {
    this.what = what;
    this.happen = happen;
    this.alone = alone;
  }

  async run(_model: object, world: World): Promise<void> {
    if (this.alone) await quiesce(world);
    world.underWay.push(this.happen(world.site));
    if (this.alone) await quiesce(world);
  }

  toString = (): string => this.what;
}

const host = fc.constantFrom(...hosts);
const port = fc.constantFrom(...ports);

const network = (type: string, data: object) => (site: Site) => site.execute('network', networkId, type, data);
const happenings = fc.oneof(
  host.map((name) => new Happen(`the agent on ${name} dies`, (site) => site.killAgent(ovsOn(name)), true)),
  host.map(
    (name) => new Happen(`the agent on ${name} is there`, (site) => site.registerAgent(ovsOn(name), ovsConfiguration)),
  ),
  host.map((name) => new Happen(`the agent on ${name} is deleted`, (site) => site.deleteAgent(ovsOn(name)))),
  fc.constant(new Happen('no DHCP agent serves the network', network('UnscheduleDhcpAgent', { host: dhcpHost }))),
  fc.constant(new Happen('a DHCP agent serves the network', network('ScheduleDhcpAgent', { host: dhcpHost }))),
  fc
    .boolean()
    .map((on) => new Happen(`DHCP is ${on ? 'on' : 'off'}`, network('UpdateSubnet', { id: subnetId, enableDhcp: on }))),
);

const commands = fc.commands(
  [
    fc.tuple(port, portCommand).map((given) => new Give(...given)),
    fc.tuple(port, portCommand).map((given) => new Give(...given)),
    fc.tuple(port, portCommand, portCommand).map((given) => new Give(...given)),
    fc.tuple(port, portCommand).map((given) => new Repeat(...given)),
    happenings,
    fc.constant(new Happen('all is quiet', async () => {}, true)),
  ],
  { maxCommands: 40, size: '+1' },
);

/** Everybody who is awaited reports; then every port works, whatever it has been through. */
async function bringHome(world: World): Promise<void> {
  const { site } = world;
  site.undisturbed();
  await quiesce(world);
  for (const name of hosts) await site.registerAgent(ovsOn(name), ovsConfiguration);
  await site.settle();
  for (const id of ports) {
    const before = await freshState(site, id);
    if (!before || !isAlive(before)) continue;
    const prepared = before.otherBindings[0]?.host;
    if (before.binding.host === null && prepared) await site.execute('port', id, 'ActivateBinding', { host: prepared });
    await site.execute('port', id, 'UpdatePort', {
      adminStateUp: true,
      host: before.binding.host ?? prepared ?? 'host-a',
    });
    const { binding, blocks } = (await freshState(site, id))!;
    await site.execute('port', id, 'ReportDeviceUp', { host: binding.host });
    await site.execute('port', id, 'ReportDhcpReady');
    for (const { entity } of blocks)
      if (entity === 'storage') await site.execute('port', id, 'ProvisioningComplete', { entity });
    expect(await freshState(site, id)).toMatchObject({ status: 'ACTIVE', blocks: [] });
    await neverActiveInVain(site, id);
  }
}

describe('ports among agents that die, binders, reporters and deleters', () => {
  test('are never ACTIVE in vain, wait for nobody who cannot report, and lose no report', async () => {
    await fc.assert(
      fc.asyncProperty(commands, commands, async (atFirst, onceAllAreActive) => {
        const world = { site: await openUsualSite({ hosts, dhcp: true }), underWay: [] };
        for (const given of [atFirst, onceAllAreActive]) {
          await fc.asyncModelRun(() => ({ model: {}, real: world }), given);
          await bringHome(world);
        }
      }),
      { numRuns: 80 },
    );
  });
});
