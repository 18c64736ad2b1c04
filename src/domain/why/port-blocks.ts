import { dhcp, l2 } from '../port/provisioning.ts';
import type { Block, Port } from '../port/state.ts';
import { byNobody, byOwner, type ConditionDraft, remedy } from './explainer.ts';
import type { Clue, Owner } from './explanation.ts';
import { dhcpReporters, l2Reporters, otherReporters, type Reporters } from './who-reports.ts';
import { latest, ref, type World } from './world.ts';

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

const entities: Readonly<Record<string, EntityRule>> = {
  [l2]: {
    what: 'l2-report',
    known: true,
    reporters(port, block, world) {
      const host = hostOf(port, block);
      return host === null ? { agents: [], backEnd: null } : l2Reporters(port, host, world);
    },
    says: (port, block) => `the port is wired on ${hostOf(port, block)}`,
    nobody: (port, block) => `no agent that wires such ports is registered on ${hostOf(port, block)}`,
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

/** Each entity that must still report, and whether there is anybody who can. */
export const blocks = (port: Port, world: World): ConditionDraft[] =>
  port.blocks.map((block) => {
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
    const summary = `${entity}: the ${nameOf(first.owner)} must report that ${says}. It is alive.`;
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

/** Who has reported in this round. */
export const reported = ({ id, round, blocks: open }: Port): ConditionDraft[] =>
  round.completed
    .filter(({ entity }) => open.every((block) => block.entity !== entity))
    .map(({ entity, at }) => ({
      what: (entities[entity] ?? integrated(entity)).what,
      met: true,
      summary: `${entity} has reported.`,
      since: at,
      proof: [
        {
          on: ref('port', id),
          types: ['ProvisioningComponentCompleted'],
          at,
          where: (data) => data.entity === entity,
        },
      ],
    }));

/** Who need not report, and why not: only where that was a question. */
export function notNeeded({ id, blocks: open }: Port, world: World): ConditionDraft[] {
  const self = ref('port', id);
  const answer = latest(
    world,
    self,
    [
      'ProvisioningComponentNotNeeded',
      'ProvisioningComponentRemoved',
      'ProvisioningComponentAdded',
      'ProvisioningComponentCompleted',
    ],
    (data) => data.entity === dhcp,
  );
  if (!answer || !['ProvisioningComponentNotNeeded', 'ProvisioningComponentRemoved'].includes(answer.type)) return [];
  if (open.some(({ entity }) => entity === dhcp)) return [];
  return [
    {
      what: 'dhcp-report',
      met: true,
      summary: `DHCP need not report: ${String(answer.data.reason)}.`,
      since: answer.time,
      proof: [{ on: self, types: [answer.type], at: answer.time, where: (data) => data.entity === dhcp }],
    },
  ];
}
