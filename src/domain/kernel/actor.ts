import { z } from 'zod';

/**
 * Who a change is attributed to. A `user` and an `agent` come from outside; `system` is the ledger's own clock and
 * process managers, and its id says which (`take-over of c-1`).
 */
export const Actor = z.object({
  type: z.enum(['user', 'agent', 'system']),
  id: z.string().min(1).max(255),
  projectId: z.string().max(255).optional(),
});
export type Actor = z.infer<typeof Actor>;
