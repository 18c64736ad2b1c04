import type { z } from 'zod';
import { invalid } from './faults.ts';

/** A body by its schema; none at all counts as null. @throws Fault naming what is wrong */
export function parsed<S extends z.ZodType>(schema: S, body: unknown): z.output<S> {
  const result = schema.safeParse(body ?? null);
  if (result.success) return result.data;
  const { path, message } = result.error.issues[0]!;
  throw invalid(`${path.join('.') || 'body'}: ${message}.`);
}
