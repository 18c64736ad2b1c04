import type { Decide } from '../kernel/aggregate.ts';
import { situation } from './admission.ts';
import type { DataFor, ServerCommands } from './commands.ts';
import type { Awaited, ExternalEvent, ServerEvent, Verdict, WaitResult } from './events.ts';
import { deadlineAfter, type ServerFacts, settingsOf } from './facts.ts';
import { begin } from './operation.ts';
import { refuse } from './refusals.ts';
import { settle } from './settle.ts';
import type { Server } from './state.ts';
import { power } from './states.ts';
import { inTurn } from './turns.ts';
import { answers, concerns, isOpen, keptAnswer, resultOf, sameWait } from './waits.ts';

export type Wanted = Awaited & { readonly result?: WaitResult };

/**
 * From now on these are awaited, all until the same moment. One that came since the attempt or the action began is
 * there already: nobody waits in vain for an event that was quicker than the one who waits.
 */
export function awaitEvents(server: Server, wanted: readonly Wanted[], facts: ServerFacts): ServerEvent[] {
  const deadline = deadlineAfter(settingsOf(facts).vifPluggingTimeoutMs, facts);
  const fresh = wanted.filter(
    (wait, index) =>
      !server.waits.some((other) => sameWait(other, wait)) &&
      wanted.findIndex((other) => sameWait(other, wait)) === index,
  );
  if (deadline === null || fresh.length === 0) return [];

  const waits = fresh.map((wait) => {
    const kept = keptAnswer(server.externalEvents, wait);
    const result = wait.result ?? (kept && resultOf(kept));
    return result === undefined ? wait : { ...wait, result };
  });
  return [{ type: 'ExternalEventsAwaited', data: { waits, deadline, fatal: settingsOf(facts).vifPluggingIsFatal } }];
}

interface PortView {
  readonly status?: string;
  readonly binding?: { readonly host?: string; readonly vnicType?: string } | null;
}

/** A boot waits for every port to be plugged on its host, but for those that are, and those nobody reports on. */
export function pluggingOf(server: Server, { related }: ServerFacts): Wanted[] {
  const host = server.host!;
  return server.ports.flatMap((id): Wanted[] => {
    const port = related?.stateOf({ kind: 'port', id }) as PortView | null | undefined;
    if (port?.binding?.vnicType === 'remote-managed') return [];
    const wired = port?.status === 'ACTIVE' && (port.binding?.host || host) === host;
    return [{ event: 'network-vif-plugged', tag: id, host, ...(wired && { result: 'completed' as const }) }];
  });
}

const received = (event: ExternalEvent, verdict: Verdict): ServerEvent => ({
  type: 'ExternalEventReceived',
  data: { ...event, verdict },
});

/** What an event does to the server itself, whether or not somebody waits for it. */
const effects: Readonly<Partial<Record<ExternalEvent['name'], (server: Server, tag: string) => ServerEvent[]>>> = {
  'network-vif-deleted': ({ ports }, portId) =>
    ports.includes(portId) ? [{ type: 'PortDetached', data: { portId, cause: 'network-vif-deleted' } }] : [],

  /** The machine was switched from outside: the server follows, if it is idle and the news is news. */
  'power-update': (server, tag) => {
    const { vmState, taskState, powerState, operation } = server;
    if (taskState !== null || operation) return [];
    const off = tag === 'POWER_OFF' && vmState === 'active' && powerState === power.running;
    const on = tag === 'POWER_ON' && vmState === 'stopped' && powerState === power.shutdown;
    if (off) return begin(server, 'StopServer', {}, 'ReceiveExternalEvent');
    return on ? begin(server, 'StartServer', {}, 'ReceiveExternalEvent') : [];
  },
};

function verdictOn({ waits }: Server, event: ExternalEvent): Verdict {
  const result = resultOf(event);
  if (waits.some((wait) => isOpen(wait) && answers(wait, event))) {
    if (result === undefined) return 'retryable';
    return result === 'completed' ? 'satisfied' : 'failed';
  }
  if (waits.some((wait) => answers(wait, event))) return 'late';
  return waits.some((wait) => concerns(wait, event)) ? 'other-binding' : 'kept';
}

const sameEvent = (a: ExternalEvent, b: ExternalEvent): boolean =>
  a.name === b.name &&
  a.tag === b.tag &&
  a.status === b.status &&
  a.host === b.host &&
  a.generation === b.generation &&
  a.retryable === b.retryable;

function toEvent(data: DataFor<'ReceiveExternalEvent'>): ExternalEvent {
  const { name, status, tag, host, generation, retryable } = data;
  return {
    name,
    status,
    ...(tag !== undefined && { tag }),
    ...(host !== undefined && { host }),
    ...(generation !== undefined && { generation }),
    ...(retryable && { retryable }),
  };
}

type Subject = 'ReceiveExternalEvent' | 'WaiveExternalEvents';

export const externalEventDecisions: Decide<Server, Pick<ServerCommands, Subject>, ServerEvent, ServerFacts> = {
  /** Every event is kept with what became of it; one that says what the last one said is not recorded twice. */
  ReceiveExternalEvent(server, data, facts) {
    const nowhere = server.host === null && !server.build && !server.operation;
    if (nowhere) {
      refuse('server-without-host', `${data.name} is about a guest on a host, and the server is on none.`, {
        ...situation(server, facts),
        attribute: 'host',
        state: null,
      });
    }
    const event = toEvent(data);
    const effect = effects[event.name]?.(server, event.tag ?? '') ?? [];
    if (effect.length > 0) return [...effect, received(event, 'applied')];

    const verdict = verdictOn(server, event);
    if (verdict !== 'satisfied' && verdict !== 'failed') {
      const known = server.externalEvents.some((kept) => sameEvent(kept, event));
      return known ? [] : [received(event, verdict)];
    }
    return inTurn(
      server,
      facts,
      () => [received(event, verdict)],
      (next) => settle(next, facts, 'ReceiveExternalEvent'),
    );
  },

  WaiveExternalEvents(server, { events }, facts) {
    const waived = server.waits.filter((wait) => isOpen(wait) && events.some((event) => covers(event, wait)));
    if (waived.length === 0) return [];
    return inTurn(
      server,
      facts,
      () => [{ type: 'ExternalEventsWaived', data: { waits: waived.map(awaited) } }],
      (next) => settle(next, facts, 'WaiveExternalEvents'),
    );
  },
};

/** Whether who names `event` means the wait: what is left out of the name may be anything. */
const covers = (event: DataFor<'WaiveExternalEvents'>['events'][number], wait: Awaited): boolean =>
  wait.event === event.event &&
  wait.tag === event.tag &&
  (event.host === undefined || event.host === wait.host) &&
  (event.generation === undefined || event.generation === wait.generation);

const awaited = ({ event, tag, host, generation }: Awaited): Awaited => ({
  event,
  tag,
  ...(host !== undefined && { host }),
  ...(generation !== undefined && { generation }),
});

/** The moment `at` has passed: what was awaited until then will not come. */
export function timeOutWaits(server: Server, at: string, facts: ServerFacts): ServerEvent[] {
  const missing = server.waits.filter((wait) => isOpen(wait) && wait.deadline <= at);
  return inTurn(
    server,
    facts,
    () => [{ type: 'ExternalEventsTimedOut', data: { waits: missing.map(awaited) } }],
    (next) => settle(next, facts, 'DeadlinePassed'),
  );
}
