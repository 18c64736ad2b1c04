import { z } from 'zod';
import { sameJson } from '../../../domain/kernel/json.ts';
import { keysIn } from '../../../domain/kernel/json-pointer.ts';

/** A step of a JSON Patch (RFC 6902) as far as Ironic's clients use them. */
export const PatchStep = z.strictObject({
  op: z.enum(['add', 'replace', 'remove', 'test']),
  path: z
    .string()
    .regex(/^(\/[^/]+){1,32}$/, 'must be a JSON pointer such as /extra/rack')
    .refine((path) => !path.split('/').includes('__proto__'), 'must not lead to __proto__'),
  value: z.json().optional(),
});
export type PatchStep = z.output<typeof PatchStep>;

/** Why a patch does not fit the document, in a sentence. */
export class PatchMisfit extends Error {
  override readonly name = 'PatchMisfit';
}

type Container = Record<string, unknown> | unknown[];

/** The document as it is after all steps. @throws PatchMisfit where one cannot be taken */
export function patched<T extends object>(document: T, steps: readonly PatchStep[]): T {
  const result = structuredClone(document);
  for (const step of steps) {
    const path = keysIn(step.path);
    const key = path.pop()!;
    takers[step.op](parentAt(result, path, step), key, step);
  }
  return result;
}

function parentAt(document: object, path: readonly string[], step: PatchStep): Container {
  let at: unknown = document;
  for (const segment of path) at = isContainer(at) && has(at, segment) ? at[segment as never] : undefined;
  if (!isContainer(at)) throw new PatchMisfit(`There is nothing at /${path.join('/')} for ${step.op} ${step.path}.`);
  return at;
}

const isContainer = (value: unknown): value is Container => typeof value === 'object' && value !== null;

const has = (container: Container, key: string): boolean =>
  Array.isArray(container) ? /^\d+$/.test(key) && Number(key) < container.length : Object.hasOwn(container, key);

type Taker = (parent: Container, key: string, step: PatchStep) => void;

const requirePresent: Taker = (parent, key, { op, path }) => {
  if (!has(parent, key)) throw new PatchMisfit(`There is nothing at ${path} to ${op}.`);
};

const takers: Readonly<Record<PatchStep['op'], Taker>> = {
  add: (parent, key, { path, value = null }) => {
    if (!Array.isArray(parent)) {
      parent[key] = value;
      return;
    }
    const index = key === '-' ? parent.length : /^\d+$/.test(key) ? Number(key) : Number.NaN;
    if (!(index <= parent.length)) throw new PatchMisfit(`${path} lies outside of the list.`);
    parent.splice(index, 0, value);
  },
  replace: (parent, key, step) => {
    requirePresent(parent, key, step);
    (parent as Record<string, unknown>)[key] = step.value ?? null;
  },
  remove: (parent, key, step) => {
    requirePresent(parent, key, step);
    if (Array.isArray(parent)) parent.splice(Number(key), 1);
    else delete parent[key];
  },
  test: (parent, key, step) => {
    requirePresent(parent, key, step);
    if (!sameJson(parent[key as never], step.value ?? null)) throw new PatchMisfit(`${step.path} has another value.`);
  },
};
