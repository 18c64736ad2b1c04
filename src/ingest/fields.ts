import { type Fields, isObject } from './notification.ts';

// What a payload says in a field: undefined where it does not say, or says it in no form that it could be.

export const textOf = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);

/** Text, or null where the field is there and empty. */
export const textOrNull = (value: unknown): string | null | undefined =>
  value === null || value === '' ? null : textOf(value);

export const flagOf = (value: unknown): boolean | undefined => (typeof value === 'boolean' ? value : undefined);

export const recordOf = (value: unknown): Fields | undefined => (isObject(value) ? value : undefined);

export const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

/** Ids are compared in lower case, and without dashes they are not ours. */
export const idOf = (value: unknown): string | undefined => textOf(value)?.toLowerCase();
