import fc from 'fast-check';
import type { FoldableEvent } from '../../../src/domain/kernel/aggregate.ts';
import { type DomainEvent, encode } from '../../../src/domain/kernel/events.ts';
import { Refusal } from '../../../src/domain/kernel/refusal.ts';
import { type ActionName, actionNames, actionOf, stepsOf } from '../../../src/domain/server/actions.ts';
import { serverCommands } from '../../../src/domain/server/commands.ts';
import { serverAggregate } from '../../../src/domain/server/index.ts';
import type { Server } from '../../../src/domain/server/state.ts';
import { taskStates, vmStates } from '../../../src/domain/server/states.ts';
import { Resource } from '../../support/story.ts';

export interface Command {
  type: string;
  data: object;
}

/** What somebody does. All of it is data, so that a life that goes wrong can be read. */
type Step =
  | ({ does: 'anything' } & Command)
  | { does: 'something that is allowed'; which: number }
  | { does: 'finish what runs' }
  | { does: 'a step of what runs'; worker: string; skip: number; waitFor: object[] }
  | { does: 'send what is awaited'; status: string }
  | { does: 'wait for the next deadline' };

export interface Life {
  settings: object;
  steps: Step[];
}

const [port1, port2, port3] = [1, 2, 3].map((digit) => `${digit}0000000-0000-4000-8000-000000000000`);
const host = fc.constantFrom('host-1', 'host-2', 'host-3');
const tag = fc.constantFrom(port1, port2, port3);
const powerState = fc.constantFrom(0, 1, 3, 4, 6, 7);
const reason = fc.constantFrom('NoValidHost', 'MaxRetriesExceeded', 'LibvirtError', 'BuildAbortException');
const holder = fc.constantFrom('reaper-1', 'reaper-2');
const action = fc.constantFrom(...actionNames);
const attempt = fc.constantFrom(1, 2, 3);
const generation = fc.constantFrom(1, 2);

/** Fields that may be left out, and those that may not. */
const given = (needed: Record<string, fc.Arbitrary<unknown>>, optional: Record<string, fc.Arbitrary<unknown>> = {}) =>
  fc.record({ ...needed, ...optional }, { requiredKeys: Object.keys(needed) as never[] }) as fc.Arbitrary<object>;

const awaited = given({ event: fc.constant('network-vif-plugged'), tag }, { host, generation });
const waitFor = fc.array(awaited, { maxLength: 3 });

/** What commands carry; those that are not here carry nothing. */
const data: Readonly<Record<string, fc.Arbitrary<object>>> = {
  CreateServer: given({ name: fc.constantFrom('a', 'b'), ports: fc.constant([port1]) }),
  UpdateServer: given({}, { name: fc.constantFrom('a', 'b'), metadata: fc.constantFrom({}, { role: 'web' }) }),
  ServerScheduled: given({ host }, { alternates: fc.subarray(['host-1', 'host-2', 'host-3']) }),
  ReportBuildProgress: given(
    { taskState: fc.constantFrom('networking', 'block_device_mapping', 'spawning') },
    { ports: fc.subarray([port1, port2, port3]), host, attempt, waitFor },
  ),
  ReportBuildSuccess: given({}, { host, attempt, powerState }),
  ReportBuildFailure: given({ reason }, { host, attempt }),
  RebootServer: given({ type: fc.constantFrom('SOFT', 'HARD') }),
  RebuildServer: given({}, { imageRef: fc.constantFrom('cirros', 'debian'), holder }),
  ResizeServer: given({ flavorRef: fc.constantFrom('small', 'large') }),
  EvacuateServer: given({}, { host }),
  ReportActionProgress: given({ action }, { taskState: fc.constantFrom(null, ...taskStates), host, waitFor }),
  ReportActionSuccess: given({ action }, { host, powerState }),
  ReportActionFailure: given({ action, reason }, { outcome: fc.constantFrom('as-before', 'unknown') }),
  ReceiveExternalEvent: given(
    {
      name: fc.constantFrom('network-vif-plugged', 'network-vif-unplugged', 'network-vif-deleted', 'network-changed'),
      tag,
      status: fc.constantFrom('completed', 'failed', 'in-progress'),
    },
    { host, generation, retryable: fc.boolean() },
  ),
  WaiveExternalEvents: given({ events: fc.array(awaited, { minLength: 1, maxLength: 2 }) }),
  ClaimPendingServer: given({ holder }),
  RenewPendingClaim: given({ holder }),
  ReleasePendingClaim: given({ holder }),
  AttachInterface: given({ portId: tag }),
  DetachInterface: given({ portId: tag }),
  LockServer: given({}, { reason: fc.constantFrom('audit') }),
  ResetServerState: given({ state: fc.constantFrom('active', 'error') }),
  ReportPowerState: given({ powerState }),
  ReportComputeRestart: given({ host }),
  ObserveServer: given(
    {
      source: fc.constant('nova'),
      vmState: fc.constantFrom(...vmStates.filter((vmState) => vmState !== 'deleted')),
      taskState: fc.constantFrom(null, null, ...taskStates),
    },
    { host: fc.option(host), powerState },
  ),
};

const anything = (...types: string[]): fc.Arbitrary<Step> =>
  fc
    .constantFrom(...types)
    .chain((type) => (data[type] ?? fc.constant({})).map((carried) => ({ does: 'anything', type, data: carried })));

const rarities = [
  'DeleteServer',
  'ForceDeleteServer',
  'SoftDeleteServer',
  'ObserveServer',
  'ResetServerState',
  'EvacuateServer',
];
const commonplace = Object.keys(serverCommands).filter((type) => type !== 'DeadlinePassed' && !rarities.includes(type));
const reports = ['ReportBuildFailure', 'ReportBuildProgress', 'ReceiveExternalEvent', 'ReportActionFailure'];

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 16, arbitrary: fc.constant<Step>({ does: 'finish what runs' }) },
  { weight: 16, arbitrary: fc.nat(30).map((which): Step => ({ does: 'something that is allowed', which })) },
  {
    weight: 12,
    arbitrary: fc.record({
      does: fc.constant('a step of what runs' as const),
      worker: holder,
      skip: fc.nat(2),
      waitFor,
    }),
  },
  {
    weight: 6,
    arbitrary: fc.record({
      does: fc.constant('send what is awaited' as const),
      status: fc.constantFrom('completed', 'completed', 'failed'),
    }),
  },
  { weight: 4, arbitrary: fc.constant<Step>({ does: 'wait for the next deadline' }) },
  { weight: 12, arbitrary: anything(...commonplace) },
  { weight: 8, arbitrary: anything(...reports) },
  { weight: 2, arbitrary: anything(...rarities) },
);

export const lives: fc.Arbitrary<Life> = fc.record({
  settings: fc.record({
    usePendingState: fc.boolean(),
    vifPluggingIsFatal: fc.boolean(),
    maxAttempts: fc.constantFrom(1, 2, 3),
  }),
  steps: fc.array(step, { minLength: 20, maxLength: 80, size: 'max' }),
});

/** What is asked of a server by somebody who reads what is allowed. */
const asked: Readonly<Record<string, object>> = {
  RebootServer: { type: 'HARD' },
  ResizeServer: { flavorRef: 'large' },
  AttachInterface: { portId: port1 },
  DetachInterface: { portId: port1 },
};
const unasked = [...rarities, 'UpdateServer', 'LockServer', 'UnlockServer'];

type Meaning = { [D in Step['does']]: (server: Resource<Server>, step: Step & { does: D }) => Command | null };

/** What a step is for this server; null where it is nothing. */
const meaning: Meaning = {
  anything: (_server, { type, data: carried }) => ({ type, data: carried }),

  'something that is allowed': ({ view }, { which }) => {
    const candidates = (view.allowed as string[]).filter((type) => !unasked.includes(type));
    const type = candidates[which % candidates.length];
    return type === undefined ? null : { type, data: asked[type] ?? {} };
  },

  'finish what runs': ({ state }) => {
    const { operation, build } = state!;
    if (operation) return { type: 'ReportActionSuccess', data: { action: operation.action } };
    if (!build) return null;
    if (build.attempt === null) return { type: 'ServerScheduled', data: { host: 'host-1' } };
    return { type: 'ReportBuildSuccess', data: {} };
  },

  'a step of what runs': ({ state }, { worker, skip, waitFor: wanted }) => {
    const { operation, taskState } = state!;
    if (!operation) return null;
    const steps = stepsOf(actionOf(operation.action as ActionName), operation.endsIn);
    const next = steps[steps.findIndex(({ task }) => task === taskState) + skip];
    const carried = { action: operation.action, worker, waitFor: wanted, ...(next && { taskState: next.task }) };
    return { type: 'ReportActionProgress', data: carried };
  },

  'send what is awaited': ({ state }, { status }) => {
    const wait = state!.waits.find(({ result }) => result === undefined);
    return wait ? { type: 'ReceiveExternalEvent', data: { name: wait.event, tag: wait.tag, status } } : null;
  },

  'wait for the next deadline': (server) => {
    const [next] = [...serverAggregate.deadlines!(server.state!, null)].sort((a, b) => (a.at < b.at ? -1 : 1));
    if (!next) return null;
    server.now = Math.max(server.now, Date.parse(next.at));
    return next.command as Command;
  },
};

/** A server that keeps what is recorded of it. */
export class RecordedServer extends Resource<Server> {
  readonly events: FoldableEvent[] = [];

  override record(event: DomainEvent): void {
    super.record(event);
    const { type, v, data: stored } = encode(this.aggregate.events, event);
    const id = `00000000-0000-5000-8000-${String(this.revision).padStart(12, '0')}`;
    const { revision, updatedAt: time } = this.state!;
    this.events.push({ id, revision, time, type, v, data: JSON.parse(JSON.stringify(stored)) });
  }
}

export type Witness = (server: Resource<Server>, command: Command, events: DomainEvent[], before: Server) => void;

/** Lives a life, and shows each command that was accepted to the witness. */
export function live({ settings, steps }: Life, witness: Witness): RecordedServer {
  const server = new RecordedServer(serverAggregate);
  server.facts = { settings };
  server.execute('CreateServer', { name: 'a', ports: [port1] });
  for (const step of steps) {
    const command = meaning[step.does](server, step as never);
    if (!command) continue;
    const before = structuredClone(server.state!);
    const events = unlessRefused(() => server.execute(command.type, command.data));
    if (events) witness(server, command, events, before);
  }
  return server;
}

/** The events of an accepted command; null for a refused one. */
export function unlessRefused(execute: () => DomainEvent[]): DomainEvent[] | null {
  try {
    return execute();
  } catch (error) {
    if (error instanceof Refusal) return null;
    throw error;
  }
}
