import type { RefusalCatalogue } from '../domain/kernel/refusal.ts';

/** Refusals that belong to no resource: they come from how the command was given. */
export const runtimeRefusals = {
  'revision-mismatch': {
    category: 'stale',
    title: 'The resource has moved on',
    explanation:
      'The command came with `If-Match` and the resource is at another revision. Read it again, decide again, and send the command with the new revision.',
  },
  'key-reused': {
    category: 'key-reused',
    title: 'The Idempotency-Key was used for another command',
    explanation:
      'A key belongs to one command with one body. This one came earlier with another type or other data. Retry with the same body, or take a new key for the new command.',
  },
  'race-lost': {
    category: 'conflict',
    title: 'Others changed the resource at the same time, repeatedly',
    explanation:
      'The command was decided several times, and each time somebody else had changed the resource before the result was stored. Nothing was stored. It is safe to try again.',
  },
} as const satisfies RefusalCatalogue;
