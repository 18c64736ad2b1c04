import { actionNames, actionOf } from './actions.ts';
import type { ServerFacts } from './facts.ts';
import { type Guard, type Obstacle, obstacleTo, sideGuards, unguarded } from './guards.ts';
import { refuse } from './refusals.ts';
import type { Server } from './state.ts';

const pendingOnly: Guard['vmStates'] = ['pending'];
const always = unguarded('', { lock: false });

interface Request {
  readonly command: string;
  readonly guard: Guard;
}

/** A server that waits for capacity can be rebuilt although it was never launched. */
export const rebuildPending: Request = {
  command: 'RebuildServer',
  guard: { ...actionOf('RebuildServer').guard, vmStates: pendingOnly, launched: false },
};

export const claimPending: Request = { command: 'ClaimPendingServer', guard: { ...always, vmStates: pendingOnly } };

/** Everything that people may ask for. */
const requests: readonly Request[] = [
  ...actionNames.map(actionOf),
  rebuildPending,
  claimPending,
  { command: 'AttachInterface', guard: sideGuards.attachInterface },
  { command: 'DetachInterface', guard: sideGuards.detachInterface },
  { command: 'UpdateServer', guard: always },
  { command: 'ResetServerState', guard: always },
  { command: 'LockServer', guard: always },
  { command: 'UnlockServer', guard: always },
];

/** The commands that people may give now, in the table's order. */
export function allowedCommands(server: Server, facts: Pick<ServerFacts, 'administrator'> = {}): string[] {
  if (server.deletedAt !== undefined) return [];
  const accepted = requests.filter(({ guard }) => obstacleTo(server, guard, facts) === null);
  return [...new Set(accepted.map(({ command }) => command))];
}

/** Goes on where nothing stands in the way. @throws Refusal */
export function admit(server: Server, { command, guard }: Request, facts: ServerFacts): void {
  const obstacle = obstacleTo(server, guard, facts);
  if (!obstacle) return;
  const { slug, attribute, state } = obstacle;
  refuse(slug, `${command} is not accepted: ${sentences[slug](server, guard)}`, {
    ...situation(server, facts),
    action: guard.verb,
    attribute,
    state,
    ...(slug === 'server-locked' && { reason: server.lock?.reason ?? null }),
    retryable: slug === 'server-busy',
  });
}

/** What every refusal tells about the server, so that the caller can act. */
export const situation = (server: Server, facts: Pick<ServerFacts, 'administrator'>) => ({
  vmState: server.vmState,
  taskState: server.taskState,
  operation: server.operation?.action ?? null,
  allowed: allowedCommands(server, facts),
});

const listed = (states: readonly (string | null)[] | 'any'): string =>
  states === 'any' ? 'any' : states.map((state) => state ?? 'none').join(', ');

const sentences: Readonly<Record<Obstacle['slug'], (server: Server, guard: Guard) => string>> = {
  'server-locked': ({ lock }) => `the server is locked by ${lock?.by}; UnlockServer lifts the lock.`,
  'server-without-host': () => 'the server is on no host.',
  'server-in-wrong-state': ({ vmState, taskState }, guard) =>
    guard.vmStates === 'any' || guard.vmStates.includes(vmState)
      ? `its task_state is ${taskState ?? 'none'} and must be ${listed(guard.taskStates)}.`
      : `its vm_state is ${vmState} and must be one of ${listed(guard.vmStates)}.`,
  'server-busy': ({ taskState, operation }) => `it is busy with ${taskState ?? operation?.action}.`,
  'server-not-launched': () => 'the server never ran.',
};
