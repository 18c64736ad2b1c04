import { z } from 'zod';
import type { Moment } from '../../projections/state-at.ts';
import { startPosition } from '../../store/event-store.ts';

/** Parameters are text; the API reference shows them as what the text stands for. */
const asInteger = { type: 'integer', pattern: undefined } as const;

/** `true` or `false`; the name alone means true. */
export const flag = z
  .enum(['', 'true', 'false'], 'must be true or false')
  .transform((value) => value !== 'false')
  .meta({ type: 'boolean', enum: undefined });

export const pageSize = z
  .string()
  .regex(/^[1-9]\d{0,3}$/, 'must be a whole number between 1 and 1000')
  .transform(Number)
  .refine((size) => size <= 1000, 'must be at most 1000')
  .meta({
    description: 'At most so many; 100 unless said otherwise, 1000 at most.',
    ...asInteger,
    minimum: 1,
    maximum: 1000,
  });

const revisionText = /^(0|[1-9]\d{0,14})$/;
const positionText = /^\d{16}$/;

export const revision = z
  .string()
  .regex(revisionText, 'must be a revision: a whole number')
  .transform(Number)
  .meta({ ...asInteger, minimum: 0 });

/** The place of an event in the ledger. Opaque to users; leading zeros may be left out where it can be nothing else. */
export const position = z
  .string()
  .regex(/^\d{1,16}$/, `must be a position as events carry it, such as ${startPosition}`)
  .transform((digits) => digits.padStart(startPosition.length, '0'))
  .meta({ example: startPosition });

/** Any offset, any precision; a space where a plus sign was not escaped in the query. */
const rfc3339 = /^\d{4}-\d{2}-\d{2}[Tt]\d{2}:\d{2}:\d{2}(\.\d+)?([Zz]|[+\- ]\d{2}:\d{2})$/;

/** A moment of the past: told by revision, position or time. */
export const moment = z
  .string()
  .transform((text, context): Moment => {
    if (revisionText.test(text)) return { by: 'revision', revision: Number(text) };
    if (positionText.test(text)) return { by: 'position', position: text };
    const time = timeOf(text);
    if (time !== null) return { by: 'time', time };
    context.addIssue('must be a revision (4), a position (16 digits) or an RFC 3339 time (2026-01-31T12:00:00Z)');
    return z.NEVER;
  })
  .meta({ description: 'As it was: a revision, a position, or an RFC 3339 time.', example: '2026-01-31T12:00:00Z' });

/** A time in the form in which the ledger keeps it; what is finer than a millisecond is cut off. */
function timeOf(text: string): string | null {
  if (!rfc3339.test(text)) return null;
  const [date, clock] = [text.slice(0, 10), text.slice(10).replace(' ', '+')];
  const milliseconds = Date.parse(`${date}${clock.replace(/(\.\d{3})\d+/, '$1').toUpperCase()}`);
  // Date.parse takes 2026-02-31 for 3 March.
  const isDate = new Date(`${date}T00:00:00Z`).toJSON()?.startsWith(date) ?? false;
  return Number.isNaN(milliseconds) || !isDate ? null : new Date(milliseconds).toISOString();
}

/** An RFC 3339 time. */
export const time = z
  .string()
  .transform((text, context): string => {
    const moment = timeOf(text);
    if (moment !== null) return moment;
    context.addIssue('must be an RFC 3339 time, such as 2026-01-31T12:00:00Z');
    return z.NEVER;
  })
  .meta({ example: '2026-01-31T12:00:00Z' });

/** A parameter that may be repeated, and with a separator may hold several values at once. */
export const oneOrMore = <T>(schema: z.ZodType<T, string>, separator?: string) =>
  z
    .union([z.string(), z.array(z.string())])
    .transform((given) => [given].flat().flatMap((each) => (separator === undefined ? each : each.split(separator))))
    .pipe(z.array(schema).max(100, 'must be at most 100 values'));

/** A name, an id, a host. */
export const text = z.string().min(1).max(512);

/** A whole number from 1 on. */
export const smallNumber = (most: number) =>
  z
    .string()
    .regex(/^[1-9]\d{0,5}$/, `must be a whole number between 1 and ${most}`)
    .transform(Number)
    .refine((number) => number <= most, `must be at most ${most}`)
    .meta({ ...asInteger, minimum: 1, maximum: most });

/** What was not asked for is left out: an undefined filter would be one to the compiler. */
export const withoutUndefined = <T extends object>(asked: { [K in keyof T]: T[K] | undefined }): T =>
  Object.fromEntries(Object.entries(asked).filter(([, value]) => value !== undefined)) as T;

/** Where a page begins. */
export const marker = z.string().min(1).max(2048);

/** `min_position`, which every read takes. */
export const minPosition = position.optional().meta({
  description: 'Wait until the view has reached this position, so that the answer includes what was written there.',
});
