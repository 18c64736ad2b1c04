import { kindOf, provisionStates } from '../../src/domain/node/provision-machine.ts';

/** What a status means to somebody who is looking for trouble. Each tone has a shape and a colour. */
export type Tone = 'fine' | 'busy' | 'down' | 'waiting' | 'failed';

export const shapes: Readonly<Record<Tone, string>> = { fine: '●', busy: '◐', down: '○', waiting: '◆', failed: '✕' };

const words: Readonly<Record<Tone, readonly string[]>> = {
  fine: ['ACTIVE', 'alive'],
  busy: ['BUILD', 'REBUILD', 'REBOOT', 'HARD_REBOOT', 'PASSWORD', 'RESIZE', 'REVERT_RESIZE', 'MIGRATING'],
  down: [
    'DOWN',
    'N/A',
    'SHUTOFF',
    'PAUSED',
    'SUSPENDED',
    'SHELVED',
    'SHELVED_OFFLOADED',
    'SOFT_DELETED',
    'DELETED',
    'RESCUE',
    'enroll',
    'rescue',
  ],
  waiting: ['PENDING', 'VERIFY_RESIZE'],
  failed: ['ERROR', 'UNKNOWN', 'lost', 'dead', 'error'],
};

const ofNodes: Readonly<Record<string, Tone>> = {
  stable: 'fine',
  working: 'busy',
  waiting: 'busy',
  held: 'waiting',
  failed: 'failed',
};

const tones = new Map<string, Tone>([
  ...provisionStates.map((state): [string, Tone] => [state, ofNodes[kindOf(state)] ?? 'down']),
  ...(Object.entries(words) as [Tone, readonly string[]][]).flatMap(([tone, statuses]) =>
    statuses.map((status): [string, Tone] => [status, tone]),
  ),
]);

/** A word that nobody here knows, from a system that was only observed, is shown as it is and promises nothing. */
export const toneOf = (status: string): Tone => tones.get(status) ?? 'down';

/** Worst first: how the parts of a strip and the members of a graph are ordered. */
const urgency: readonly Tone[] = ['failed', 'waiting', 'busy', 'down', 'fine'];

export const byUrgency = (a: string, b: string): number =>
  urgency.indexOf(toneOf(a)) - urgency.indexOf(toneOf(b)) || a.localeCompare(b);
