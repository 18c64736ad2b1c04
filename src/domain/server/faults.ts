import { z } from 'zod';
import type { Attempt, Server } from './state.ts';

/** Nova keeps so many characters of an error message. */
const longestMessage = 255;

/** An error as people see it. `kind` is the class of exception, or the ledger's own word. */
export const Fault = z.object({
  code: z.number().int(),
  message: z.string().max(longestMessage),
  created: z.string(),
  kind: z.string(),
  details: z.string().optional(),
});
export type Fault = z.infer<typeof Fault>;

/** What a worker says went wrong. */
export const Failure = z.strictObject({
  /** The class of exception, such as `NoValidHost`. */
  reason: z.string().min(1).max(255),
  message: z.string().max(10_000).optional(),
  code: z.number().int().min(100).max(599).optional(),
  /** For administrators: a traceback, say. */
  details: z.string().max(50_000).optional(),
});
export type Failure = z.infer<typeof Failure>;

const usualMessages: Readonly<Record<string, string>> = {
  NoValidHost: 'No valid host was found. There are not enough hosts available.',
};

/** A scheduler whose request filters leave no host says that there is none. */
const otherNames: Readonly<Record<string, string>> = { RequestFilterFailed: 'NoValidHost' };

/** Over a message bus the class arrives under another name: `NoValidHost` as `NoValidHost_Remote`. */
export function kindOf(reason: string): string {
  const kind = reason.replace(/_Remote$/, '');
  return otherNames[kind] ?? kind;
}

/** A failure without a message is told by its class alone, as Nova does for exceptions that are not its own. */
export function faultOf({ reason, message, code, details }: Failure, created: string): Fault {
  const kind = kindOf(reason);
  return {
    code: code ?? 500,
    message: (message ?? usualMessages[kind] ?? kind).slice(0, longestMessage),
    created,
    kind,
    ...(details !== undefined && { details }),
  };
}

const faultStatuses = ['ERROR', 'DELETED'];

/**
 * The fault people see: the latest, and only while the status says that something is wrong. What went wrong in an attempt
 * that another one made good is not what is wrong with the server now; Nova forgets it, here it stays among the faults.
 */
export function faultShown(status: string, { faults, attempts }: Pick<Server, 'faults' | 'attempts'>): Fault | null {
  if (!faultStatuses.includes(status)) return null;
  const madeGood = attempts.slice(
    0,
    attempts.findLastIndex(({ outcome }) => outcome === 'succeeded'),
  );
  const isOf = ({ kind, created }: Fault, { host, reason, startedAt, endedAt }: Attempt): boolean =>
    host !== null && reason === kind && startedAt <= created && endedAt !== null && created <= endedAt;
  return faults.findLast((fault) => !madeGood.some((attempt) => isOf(fault, attempt))) ?? null;
}
