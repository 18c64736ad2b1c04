import { agentRef } from '../agent/identity.ts';
import { dhcp, l2 } from '../port/events.ts';
import { isBound, isFailed, type Port } from '../port/state.ts';
import { isReady } from '../port/unfolding.ts';
import { deviceOf } from './device.ts';
import {
  byItself,
  byNobody,
  byOperator,
  byOwner,
  type ConditionDraft,
  type Explainer,
  listed,
  remedy,
} from './explainer.ts';
import { blocks, settled } from './port-blocks.ts';
import { portHints } from './port-hints.ts';
import { l2AgentsOn, l2Reporters } from './who-reports.ts';
import { latest, ref, type World } from './world.ts';

const self = ({ id }: Port) => ref('port', id);

/** What a port needs to be ACTIVE: to be switched on, bound, reported by everybody who must, and not taken down since. */
const conditions: Explainer<Port>['conditions'] = {
  switchedOn(port, world) {
    if (port.adminStateUp) return [];
    const change = latest(world, self(port), ['PortUpdated', 'PortCreated'], switchesOff);
    return [
      {
        what: 'admin-state',
        met: false,
        summary: 'It is administratively down: somebody switched it off.',
        since: change?.time ?? port.createdAt,
        clearable: byOperator('Switch it on.', {
          command: remedy(self(port), 'UpdatePort', { adminStateUp: true }),
        }),
        proof: [{ on: self(port), types: ['PortUpdated', 'PortCreated'], where: switchesOff }],
      },
    ];
  },

  bound: (port, world) => [binding(port, world)],

  blocks,
  settled,

  /** No block is left, and yet nobody has said that anything is done. */
  anybodyReported(port, world) {
    const { binding: bound, round } = port;
    if (!isBound(bound) || round.provisioned || port.blocks.length > 0 || bound.device === 'down') return [];
    if (port.status === 'ACTIVE') return [];
    const owner = l2Reporters(port, bound.host!, world).agents[0]?.owner ?? null;
    const how =
      'Whoever wires ports there reports; say so in his place, or name who must with AddProvisioningComponent.';
    const command = remedy(self(port), 'ReportDeviceUp', { host: bound.host });
    const by = owner === null ? byOperator : owner.alive ? byOwner : byNobody;
    return [
      {
        what: 'first-report',
        met: false,
        summary: `No report is asked for, and none has come: the first one from ${bound.host} makes it ACTIVE.`,
        since: round.since,
        owner,
        clearable: by(how, { command }),
        proof: [{ on: self(port), types: ['PortBound', 'BindingActivated', 'PortStatusChanged'] }],
      },
    ];
  },

  /** Its host has taken it down, or must wire it anew. Where a block says so already, once is enough. */
  upOnHost(port, world) {
    const { binding: bound, round } = port;
    if (!isBound(bound) || bound.device !== 'down' || port.blocks.some(({ entity }) => entity === l2)) return [];
    const { agents } = l2Reporters(port, bound.host!, world);
    const owner = agents[0]?.owner ?? null;
    const command = remedy(self(port), 'ReportDeviceUp', { host: bound.host });
    const alive = owner?.alive === true;
    return [
      {
        what: 'device-up',
        met: false,
        summary: `${bound.host} has taken the port down, or must wire it anew${alive ? '' : ', and no agent there is alive'}.`,
        since: round.since,
        owner,
        clearable: alive
          ? byOwner('The agent reports the port up.', { command })
          : byNobody('An agent on the host must report it up.', { command }),
        proof: [{ on: self(port), types: ['DeviceDownReported', 'BindingRequested', 'DeviceDetailsRequested'] }],
        ...(!alive && { because: agents.map((agent) => agent.ref) }),
      },
    ];
  },

  /** Nothing is missing, and still it is something else: somebody said so. */
  statusAsItShouldBe(port, world) {
    if (port.status === 'ACTIVE' || !isReady(port)) return errorSaid(port, world);
    return said(port, world, 'Nothing is missing, but');
  },

  /** ACTIVE although the ledger would not have made it so. */
  activeBySomebody(port, world) {
    if (port.status !== 'ACTIVE' || isReady(port)) return [];
    const change = latest(world, self(port), ['PortStatusChanged']);
    if (!change) return [];
    return [
      {
        what: 'status-set',
        met: true,
        summary: `It is ACTIVE because ${sources[String(change.data.cause)] ?? 'somebody set it'}.`,
        since: change.time,
        proof: [{ on: self(port), types: ['PortStatusChanged'], at: change.time }],
      },
    ];
  },
};

const switchesOff = (data: Readonly<Record<string, unknown>>): boolean =>
  ((data.changes ?? data) as { adminStateUp?: boolean }).adminStateUp === false;

const sources: Readonly<Record<string, string>> = {
  set: 'somebody set it',
  observed: 'an outside system says so',
  driver: 'its mechanism driver said so',
};

/** An ERROR is what somebody said, whatever else is missing. */
const errorSaid = (port: Port, world: World): ConditionDraft[] =>
  port.status === 'ERROR' || port.status === 'N/A' ? said(port, world, 'Whatever else is missing,') : [];

function said(port: Port, world: World, but: string): ConditionDraft[] {
  const change = latest(world, self(port), ['PortStatusChanged']);
  const { cause, reason, retryable } = change?.data ?? {};
  const source = sources[String(cause)] ?? `it came to ${port.status} (${String(cause)})`;
  const told = reason === undefined ? '' : `: ${String(reason)}`;
  return [
    {
      what: 'status-set',
      met: false,
      summary: `${but} it is ${port.status} because ${source}${told}.${retryable ? ' It may pass by itself.' : ''}`,
      since: change?.time ?? port.updatedAt,
      clearable: byOperator('Find out why, then set it right, or let its host report again.', {
        command: remedy(self(port), 'SetPortStatus', { status: 'ACTIVE' }),
      }),
      proof: [{ on: self(port), types: ['PortStatusChanged'] }],
    },
  ];
}

const bindingEvents = ['PortBound', 'BindingActivated', 'BindingRequested'];

function binding(port: Port, world: World): ConditionDraft {
  const { binding: bound } = port;
  if (isFailed(bound)) return failed(port, world);
  if (isBound(bound)) {
    const driver = bound.driver === null ? '' : ` by ${bound.driver}`;
    return {
      what: 'binding',
      met: true,
      summary: `It is bound to ${bound.host}${driver} as ${bound.vifType}.`,
      since: bound.since,
      proof: [{ on: self(port), types: bindingEvents, at: bound.since }],
    };
  }
  const where =
    bound.host === null ? 'no host: nobody has said yet where it belongs' : `no driver on ${bound.host} yet`;
  return {
    what: 'binding',
    met: false,
    summary: `It is bound to ${where}.`,
    since: bound.since,
    clearable: byOperator('Whoever places what it belongs to, binds it.', {
      command: bound.host === null ? null : remedy(self(port), 'BindPort', { host: bound.host }),
    }),
    proof: [{ on: self(port), types: ['PortCreated', 'PortUnbound', 'BindingRequested'], at: bound.since }],
  };
}

/** Answers of drivers that say something about the port, not merely that it is none of theirs. */
const telling = ['agent-dead', 'no-segment', 'no-address', 'error', 'bound-above'];

function failed(port: Port, world: World): ConditionDraft {
  const { host, failure } = port.binding;
  const since = failure?.since ?? port.binding.since;
  const tried = failure?.tried ?? [];
  const deciding = tried.filter(({ outcome }) => telling.includes(outcome));
  const answers = deciding.length > 0 ? deciding : tried.filter(({ outcome }) => outcome === 'no-agent');
  const why = listed((answers.length > 0 ? answers : tried).map(({ driver, reason = 'no' }) => `${driver}: ${reason}`));
  const dead = deciding.some(({ outcome }) => outcome === 'agent-dead') ? l2Reporters(port, host!, world).agents : [];
  const bind = { command: remedy(self(port), 'BindPort', { host }) };
  return {
    what: 'binding',
    met: false,
    summary: `No driver could bind it to ${host}: ${why || 'none was there to be asked'}.`,
    since,
    ...whoMends(deciding.length > 0, dead, bind),
    proof: [since, latest(world, self(port), ['PortBindingFailed'])?.time ?? since].map((at) => ({
      on: self(port),
      types: ['PortBindingFailed', 'PortCreated', 'BindingRequested'],
      at,
    })),
  };
}

function whoMends(
  told: boolean,
  [dead]: ReturnType<typeof l2Reporters>['agents'],
  bind: { command: ReturnType<typeof remedy> },
): Pick<ConditionDraft, 'owner' | 'clearable' | 'because'> {
  if (dead?.owner.alive) {
    return {
      owner: dead.owner,
      clearable: byItself('The agent is alive again, and the binding is tried again.', bind),
    };
  }
  if (dead) {
    const how = 'It is tried again by itself as soon as the agent is heard again.';
    return { owner: dead.owner, clearable: byNobody(how, bind), because: [dead.ref] };
  }
  if (!told)
    return { clearable: byOperator('It is tried again by itself when an agent for it registers there.', bind) };
  return { clearable: byOperator('Mend what the drivers say, then bind it again.', bind) };
}

export const portExplainer: Explainer<Port> = {
  looksAt(port, { settings }) {
    const { binding: bound, networkId, blocks: open } = port;
    return [
      ...(bound.host === null ? [] : l2AgentsOn(bound.host, settings)),
      ...open.flatMap(({ entity, host }) =>
        host === undefined || [l2, dhcp].includes(entity) || entity.includes(':') || entity === ''
          ? []
          : [agentRef(host, entity)],
      ),
      ...(networkId === null ? [] : [ref('network', networkId)]),
    ];
  },
  belongsTo: (port) => [deviceOf(port)].filter((device) => device !== null),
  mustSee: ['PortStatusChanged', 'PortCreated'],
  name: ({ name }) => name || null,
  status: ({ status }) => status,
  since: (port, world) => latest(world, self(port), ['PortStatusChanged', 'PortCreated'])?.time ?? null,
  conditions,
  hints: portHints,
  whenFine: ({ status, round }) => {
    const last = round.provisioned;
    return last ? `It is ${status}: everybody who must has reported, ${last.entity} last.` : `It is ${status}.`;
  },
};
