import { Refusal, refuser } from '../domain/kernel/refusal.ts';
import { type CommandRequest, Done, type Outcome } from './command.ts';
import type { Head } from './head.ts';
import { runtimeRefusals } from './refusals.ts';

/** What the runtime itself says of a command, whatever the rules of its resource say. */

const refuse = refuser(runtimeRefusals);

/** The work was done already: nothing to store, the state as it is. */
export function alreadyDone({ resource, type }: CommandRequest, { current }: Head): Outcome {
  if (!current) throw new Error(`${type} on an unknown ${resource.kind} must begin its life or be refused`);
  return new Done(resource, current.revision, current.position, '[]', current.stateText);
}

/** @throws Refusal where the command was meant for another revision than this one (-1: none) */
export function requireRevision({ ifRevision, resource }: CommandRequest, revision: number): void {
  if (ifRevision === undefined || ifRevision === revision) return;
  const is = revision < 0 ? 'does not exist' : `is at revision ${revision}`;
  refuse(
    'revision-mismatch',
    `The ${resource.kind} ${resource.id} ${is}; the command was meant for revision ${ifRevision}.`,
  );
}

export const keyReused = ({ resource, type }: CommandRequest): Outcome =>
  refusal(resource, () => refuse('key-reused', `The Idempotency-Key came before with another body than this ${type}.`));

export const raceLost = ({ resource, type }: CommandRequest, times: number): Outcome =>
  refusal(resource, () =>
    refuse('race-lost', `${type} lost the race against other changes ${times} times.`, { retryable: true }),
  );

/** Turns a refusal that is thrown into one that is answered. */
function refusal(resource: CommandRequest['resource'], refusing: () => never): Outcome {
  try {
    return refusing();
  } catch (error) {
    if (error instanceof Refusal) return { outcome: 'refused', resource, refusal: error, revision: -1 };
    throw error;
  }
}
