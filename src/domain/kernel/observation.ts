import { z } from 'zod';
import { Timestamp } from './resource.ts';

declare const foreign: unique symbol;

/** A word of an outside system that the rules do not know. It is kept as it was said, and no rule leads on from it. */
export type Foreign = string & { readonly [foreign]: true };

/** One of the words the rules know, or any other. */
export const orForeign = <T extends string>(known: z.ZodType<T>) =>
  z.union([known, z.string().min(1).max(64) as unknown as z.ZodType<Foreign>]);

/** What is said with every observation: by whom, and of which moment. Without one it is of the moment it came. */
export const origin = { source: z.string().min(1).max(255), observedAt: Timestamp.optional() };

/** What an aggregate remembers of the observation that is the newest. */
interface Known {
  readonly observedAt: string | null;
}

interface Observable {
  readonly observation: Known | null;
  readonly deletedAt?: string;
}

/**
 * Whether an observation is of a moment before what is known: another has overtaken it on the way. It is recorded and
 * changes nothing, for what it says is history. Observations are compared with each other, since the ledger's own clock
 * tells when things came to its ears and not when they were; but for what was deleted by a command, which is over then.
 */
export const isLate = ({ observation, deletedAt }: Observable, observedAt: string | undefined): boolean =>
  observedAt !== undefined && observedAt < (observation?.observedAt ?? deletedAt ?? '');

/** Whether it says that what is known was still so at a later moment. */
export const isLater = (known: Known | null, observedAt: string | undefined): boolean =>
  observedAt !== undefined && observedAt > (known?.observedAt ?? '');
