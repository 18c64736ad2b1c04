import type { FastifyRequest } from 'fastify';
import { sameJson } from '../../../domain/kernel/json.ts';
import { badRequest, invalid } from './faults.ts';

/** What a client may write: the attribute's name in the data of a command, and its value there. */
export interface Writable {
  readonly as: string;
  readonly value?: (given: unknown) => unknown;
  /** On creation only. */
  readonly once?: true;
}

/** Attributes of a kind of thing: those that are kept, and those of Neutron's that are not, with the one value they have. */
export interface Attributes {
  readonly kept: Readonly<Record<string, Writable>>;
  readonly fixed: Readonly<Record<string, unknown>>;
}

export type Given = Readonly<Record<string, unknown>>;

/** Neutron's clients write some numbers and truth values as text; what is neither stays as it is, to be refused. */
export const wholeNumber = (given: unknown): unknown =>
  typeof given === 'string' && /^\d{1,9}$/.test(given) ? Number(given) : given;
export const truthValue = (given: unknown): unknown =>
  (typeof given === 'object' ? undefined : truth.get(String(given).toLowerCase())) ?? given;

/** As it may be written in a body or a query. */
export const truth: ReadonlyMap<string, boolean> = new Map([
  ['true', true],
  ['1', true],
  ['false', false],
  ['0', false],
]);

/** The members of `{"port": {...}}`. @throws Fault where the body is another */
export function membersOf(request: FastifyRequest, what: string): Given {
  const given = (request.body as Readonly<Record<string, unknown>> | null | undefined)?.[what];
  if (isObject(given)) return given;
  throw badRequest(`The body must be an object with the member "${what}", itself an object.`);
}

/** As `membersOf`, for what may come one or several at a time. */
export function manyOf(request: FastifyRequest, what: string): { readonly several: boolean; readonly all: Given[] } {
  const several = (request.body as Readonly<Record<string, unknown>> | null | undefined)?.[`${what}s`];
  if (several === undefined) return { several: false, all: [membersOf(request, what)] };
  if (Array.isArray(several) && several.length > 0 && several.every(isObject)) return { several: true, all: several };
  throw badRequest(`"${what}s" must be a list of objects, with at least one in it.`);
}

export const isObject = (value: unknown): value is Given =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/**
 * A command's data out of a client's attributes.
 * @throws Fault where an attribute is unknown, cannot be written now, or is not kept here and given a value of its own
 */
export function dataOf(given: Given, { kept, fixed }: Attributes, on: 'create' | 'update'): Record<string, unknown> {
  const data: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(given)) {
    const writable = Object.hasOwn(kept, name) ? kept[name]! : null;
    if (!writable) {
      requireFixed(name, value, fixed);
      continue;
    }
    if (writable.once && on === 'update') throw badRequest(`The attribute ${name} cannot be changed.`);
    data[writable.as] = writable.value ? writable.value(value) : value;
  }
  return data;
}

function requireFixed(name: string, value: unknown, fixed: Readonly<Record<string, unknown>>): void {
  if (!Object.hasOwn(fixed, name)) throw badRequest(`Unrecognized attribute(s) '${name}'.`);
  if (value === null || sameJson(value, fixed[name])) return;
  throw invalid(`The attribute ${name} is not kept here; it is always ${JSON.stringify(fixed[name])}.`);
}
