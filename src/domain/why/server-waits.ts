import type { Server, Wait } from '../server/state.ts';
import { isOpen } from '../server/waits.ts';
import { byItself, byNobody, byOwner, type ConditionDraft, remedy } from './explainer.ts';
import { living, ref, type World } from './world.ts';

/** The external events that what runs waits for, or has waited for. */
export const awaitedEvents = (server: Server, world: World): ConditionDraft[] =>
  server.waits.map((wait) => (isOpen(wait) ? awaited(server, wait, world) : over(server, wait, world)));

const isOfPort = ({ event }: Wait): boolean => event.startsWith('network-vif-');

const subjectOf = (wait: Wait, world: World): string =>
  isOfPort(wait) ? `port ${living(world, ref('port', wait.tag))?.name || wait.tag}` : wait.tag;

const outcomes: Readonly<Partial<Record<NonNullable<Wait['result']>, string>>> = {
  completed: 'has come',
  waived: 'need not come',
  failed: 'came as a failure',
};

function over(server: Server, wait: Wait, world: World): ConditionDraft {
  const { event, since, endedAt = since, result, fatal } = wait;
  const met = result === 'completed' || result === 'waived' || !fatal;
  return {
    what: event,
    met,
    summary: `${event} for ${subjectOf(wait, world)} ${outcomes[result!] ?? `did not come (${result})`}.`,
    since: endedAt,
    clearable: met ? null : byItself('What runs fails with it.'),
    proof: [
      {
        on: ref('server', server.id),
        types: ['ExternalEventReceived', 'ExternalEventsWaived', 'ExternalEventsTimedOut', 'ExternalEventsAwaited'],
        at: endedAt,
      },
    ],
  };
}

/** The tag of a network's event is the port it is about, and the port says why it does not come. */
function awaited(server: Server, wait: Wait, world: World): ConditionDraft {
  const { event, tag, since, deadline, fatal, host = null } = wait;
  const on = ref('server', server.id);
  const port = isOfPort(wait) ? living(world, ref('port', tag)) : null;
  const from = host === null ? '' : ` from ${host}`;
  const otherwise = fatal ? 'it fails' : 'it goes on without';
  const known = port ? ` The port is ${port.status}.` : isOfPort(wait) ? ' That port is not known here.' : '';
  const sender = isOfPort(wait) ? 'network' : 'sender of the event';
  const by = isOfPort(wait) && !port ? byNobody : byOwner;
  return {
    what: event,
    met: false,
    summary: `It waits for ${event} for ${subjectOf(wait, world)}${from}; if that has not come by ${deadline}, ${otherwise}.${known}`,
    since,
    owner: { kind: 'service', id: sender, host, alive: null, lastSeenAt: null },
    clearable: by(`${comes[event] ?? 'Its sender reports it'}; otherwise it is over at ${deadline}.`, {
      deadline,
      command: remedy(on, 'WaiveExternalEvents', { events: [{ event, tag, ...scopeOf(wait) }] }),
    }),
    proof: [{ on, types: ['ExternalEventsAwaited'], at: since }],
    because: port ? [ref('port', tag)] : [],
  };
}

const comes: Readonly<Record<string, string>> = {
  'network-vif-plugged': 'It comes when the port is ACTIVE',
  'network-vif-unplugged': 'It comes when the port is DOWN',
  'network-vif-deleted': 'It comes when the port is deleted',
};

const scopeOf = ({ host, generation }: Wait): object => ({
  ...(host !== undefined && { host }),
  ...(generation !== undefined && { generation }),
});
