import { dhcp, l2 } from '../port/events.ts';
import { type Block, isFailed, type Port } from '../port/state.ts';
import { byNobody, byOwner, type ConditionDraft, remedy } from './explainer.ts';
import type { Clue, Owner } from './explanation.ts';
import { dhcpReporters, l2Reporters, otherReporters, type Reporters } from './who-reports.ts';
import { type Happening, ref, type World } from './world.ts';

interface EntityRule {
  readonly what: string;
  readonly reporters: (port: Port, block: Block, world: World) => Reporters;
  /** Whether the ledger knows everybody who could report it. */
  readonly known: boolean;
  /** What the report says, as in "must report that ...". */
  readonly says: (port: Port, block: Block) => string;
  readonly nobody: (port: Port, block: Block) => string;
}

const hostOf = (port: Port, block: Block): string | null => block.host ?? port.binding.host;

const onHost = (host: string | null): string => (host === null ? '' : ` on ${host}`);

const entities: Readonly<Record<string, EntityRule>> = {
  [l2]: {
    what: 'l2-report',
    known: true,
    reporters(port, block, world) {
      const host = hostOf(port, block);
      return host === null ? { agents: [], backEnd: null } : l2Reporters(port, host, world);
    },
    says: (port, block) => `the port is wired${onHost(hostOf(port, block))}`,
    nobody: (port, block) => {
      const host = hostOf(port, block);
      if (host === null) return 'the port is bound to no host, so nobody knows who is to wire it';
      return `no agent that wires such ports is registered on ${host}`;
    },
  },
  [dhcp]: {
    what: 'dhcp-report',
    known: true,
    reporters: (port, _block, world) => dhcpReporters(port, world),
    says: () => 'it answers for the port’s addresses',
    nobody: ({ networkId }) => `no DHCP agent serves the network ${networkId}`,
  },
};

const integrated = (entity: string): EntityRule => ({
  what: 'entity-report',
  known: false,
  reporters: (_port, { host }, world) => otherReporters(entity, host, world),
  says: () => 'its part is done',
  nobody: () => '',
});

/**
 * Each entity that must still report, and whether there is anybody who can. That nobody has wired a port whose binding
 * has failed goes without saying.
 */
export const blocks = (port: Port, world: World): ConditionDraft[] =>
  port.blocks
    .filter(({ entity }) => entity !== l2 || !isFailed(port.binding))
    .map((block) => {
      const rule = entities[block.entity] ?? integrated(block.entity);
      const reporters = rule.reporters(port, block, world);
      return {
        what: rule.what,
        met: false,
        since: block.since,
        proof: [addedBy(port, block)],
        ...outlook(port, block, rule, reporters),
      };
    });

type Outlook = Pick<ConditionDraft, 'summary' | 'owner' | 'clearable' | 'because'>;

function outlook(port: Port, block: Block, rule: EntityRule, { agents, backEnd }: Reporters): Outlook {
  const { entity } = block;
  const says = rule.says(port, block);
  const host = block.host === undefined ? {} : { host: block.host };
  const command = remedy(ref('port', port.id), 'ProvisioningComplete', { entity, ...host });
  const overrule = 'If you have made sure that the work is done, say so in its place.';
  const [first] = agents;

  if (first?.owner.alive) {
    const summary = `${entity}: the ${nameOf(first.owner)} must report that ${says}. It is alive since ${first.since}.`;
    return { summary, owner: first.owner, clearable: byOwner('The agent reports.', { command }) };
  }
  if (backEnd !== null) {
    const owner: Owner = { kind: 'back-end', id: backEnd, host: null, alive: null, lastSeenAt: null };
    const summary = `${entity}: the back end of ${backEnd} must report that ${says}.`;
    return { summary, owner, clearable: byOwner('The back end reports.', { command }) };
  }
  if (first) {
    const all = agents.length === 1 ? '' : ` So are the ${agents.length - 1} others that could.`;
    const summary = `${entity}: the ${nameOf(first.owner)} must report that ${says}, and is dead: silent since ${first.owner.lastSeenAt}.${all}`;
    const how = `It can report when it is back. ${overrule}`;
    return {
      summary,
      owner: first.owner,
      clearable: byNobody(how, { command }),
      because: agents.map(({ ref }) => ref),
    };
  }
  if (rule.known) {
    const summary = `${entity}: somebody must report that ${says}, but ${rule.nobody(port, block)}.`;
    return { summary, clearable: byNobody(overrule, { command }) };
  }
  const owner: Owner = { kind: 'service', id: entity, host: block.host ?? null, alive: null, lastSeenAt: null };
  const where = block.host === undefined ? '' : ` on ${block.host}`;
  const summary = `${entity}${where} must report that ${says}. Whether it is alive is not known here.`;
  return { summary, owner, clearable: byOwner(`Whoever is ${entity} reports.`, { command }) };
}

const nameOf = ({ id, host }: Owner): string => (host === null ? id : `${id.slice(host.length + 1)} on ${host}`);

const addedBy = ({ id }: Port, { entity, since }: Block): Clue => ({
  on: ref('port', id),
  types: ['ProvisioningComponentAdded'],
  at: since,
  where: (data) => data.entity === entity,
});

const ends: Readonly<Record<string, (entity: string, data: Happening['data']) => string>> = {
  ProvisioningComponentCompleted: (entity) => `${entity} has reported.`,
  ProvisioningComponentNotNeeded: (entity, data) => `${entity} need not report: ${String(data.reason)}.`,
  ProvisioningComponentRemoved: (entity, data) => `${entity} need not report any more: ${String(data.reason)}.`,
};

/**
 * Who has reported, and who need not and why. Wiring counts for the binding it was reported of; what others have done
 * stands until they are asked anew.
 */
export function settled(port: Port, world: World): ConditionDraft[] {
  const on = ref('port', port.id);
  const open = new Set(port.blocks.map(({ entity }) => entity));
  const told = new Set<string>();
  return world.happened(on).flatMap(({ type, time, data }): ConditionDraft[] => {
    const entity = String(data.entity);
    const sentence = type.startsWith('ProvisioningComponent') && !told.has(entity) ? ends[type] : undefined;
    if (type.startsWith('ProvisioningComponent')) told.add(entity);
    if (!sentence || open.has(entity) || (entity === l2 && !isWired(port))) return [];
    return [
      {
        what: (entities[entity] ?? integrated(entity)).what,
        met: true,
        summary: sentence(entity, data),
        since: time,
        proof: [{ on, types: [type], at: time, where: (other) => other.entity === entity }],
      },
    ];
  });
}

const isWired = ({ binding, round }: Port): boolean =>
  binding.device === 'up' || round.completed.some(({ entity }) => entity === l2);
