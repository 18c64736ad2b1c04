import { lifetimeRefusals } from '../kernel/aggregate.ts';
import { type RefusalCatalogue, refuser } from '../kernel/refusal.ts';

export const serverRefusals = {
  ...lifetimeRefusals('server'),
  'server-exists': {
    category: 'conflict',
    title: 'The server exists with other attributes',
    explanation:
      'CreateServer named an id that is taken by a living server whose attributes differ from the ones given (`differing`). A repeated CreateServer with the same attributes is answered as done. Use UpdateServer to change the server, or another id for another server.',
  },
  'server-locked': {
    category: 'conflict',
    title: 'The server is locked',
    explanation:
      'Somebody locked the server against changes. `state` says who, `reason` why. UnlockServer lifts the lock; callers with the right to override locks are not held up by it.',
  },
  'server-without-host': {
    category: 'conflict',
    title: 'The server is on no host',
    explanation:
      'The command is about the guest on its host, and the server has none: it was never placed, its build failed, or it was shelved and offloaded. `allowed` names what can be done with it.',
  },
  'server-in-wrong-state': {
    category: 'conflict',
    title: 'The state of the server does not allow this',
    explanation:
      'The command is accepted in other states only. `attribute` says which of the state variables is in the way and `state` its value; `allowed` names the commands that would be accepted now.',
  },
  'server-busy': {
    category: 'conflict',
    title: 'Something else is being done to the server',
    explanation:
      'A server does one thing at a time. `taskState` is the task that is in the way, and `operation` the action it belongs to. Wait until it is over, or use one of the commands in `allowed`.',
  },
  'server-not-launched': {
    category: 'conflict',
    title: 'The server never ran',
    explanation:
      'The command needs a guest that ran at least once. A server whose first build failed can be deleted; one that waits for capacity (PENDING) can be rebuilt.',
  },
  'server-not-scheduled': {
    category: 'conflict',
    title: 'No host was chosen yet',
    explanation:
      'A report about an attempt to build the server came while none runs. Report ServerScheduled with the host first. A report about an earlier attempt that names its host or number is answered as done.',
  },
  'server-scheduled': {
    category: 'conflict',
    title: 'The server is being built on another host',
    explanation:
      'ServerScheduled named a host while an attempt runs on another (`host`). Report that attempt as failed before the next one begins.',
  },
  'action-not-running': {
    category: 'conflict',
    title: 'No such action is running',
    explanation:
      'A report named an action that is not the one the server performs (`operation`). It was finished, superseded or never accepted. A report that names its `operationId` and comes too late is answered as done.',
  },
  'step-not-in-action': {
    category: 'invalid',
    title: 'The action has no such step',
    explanation: 'A report named a task_state that the action never passes through. `steps` lists those it does.',
  },
  'server-changed-since': {
    category: 'stale',
    title: 'The server has changed since',
    explanation:
      'The report was made from an older state of the server than the present one (`revision`). Read the server again and decide anew: what was to be corrected may be right by now.',
  },
  'pending-server-claimed': {
    category: 'conflict',
    title: 'Somebody else makes room for this server',
    explanation:
      'A PENDING server can be claimed, so that no two parties free capacity for it at once. `holder` has it until `expiresAt`, unless the claim is renewed.',
  },
  'pending-server-not-claimed': {
    category: 'conflict',
    title: 'There is no claim to renew',
    explanation:
      'A claim on a PENDING server was to be renewed and is not there: it was never made, it was released, or it ran out. Claim the server again and look at it before going on: somebody else may have acted in between.',
  },
} as const satisfies RefusalCatalogue;

export const refuse = refuser(serverRefusals);
