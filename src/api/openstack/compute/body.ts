import type { FastifyRequest } from 'fastify';
import type { z } from 'zod';
import { badRequest } from './faults.ts';

/** A member of the body, checked. @throws Fault naming what is wrong */
export function memberOf<S extends z.ZodType>(request: FastifyRequest, name: string, schema: S): z.output<S> {
  const given = (request.body as Readonly<Record<string, unknown>> | null | undefined)?.[name];
  if (given === undefined) throw badRequest(`'${name}' is a required property`);
  return checked(schema, given, name);
}

/** @throws Fault naming what is wrong */
export function checked<S extends z.ZodType>(schema: S, given: unknown, name: string): z.output<S> {
  const parsed = schema.safeParse(given);
  if (parsed.success) return parsed.data;
  const [{ path, message }] = parsed.error.issues as [z.core.$ZodIssue];
  throw badRequest(`Invalid input for field/attribute ${path.join('.') || name}: ${message}`);
}
