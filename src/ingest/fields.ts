import type { Record } from './notification.ts';

/** Fields of a payload, under the names that the ledger knows them by. What is not said, or in no form it could be, is left out. */

export const textOf = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);

/** Text, or null where the field is there and empty. */
export const textOrNull = (value: unknown): string | null | undefined =>
  value === null || value === '' ? null : textOf(value);

export const flagOf = (value: unknown): boolean | undefined => (typeof value === 'boolean' ? value : undefined);

export const recordOf = (value: unknown): Record | undefined =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Record) : undefined;

export const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

/** Ids are compared in lower case, and without dashes they are not ours. */
export const idOf = (value: unknown): string | undefined => textOf(value)?.toLowerCase();
