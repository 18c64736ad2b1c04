import type { FastifyRequest } from 'fastify';
import { sameJson } from '../../../domain/kernel/json.ts';
import { keysIn } from '../../../domain/kernel/json-pointer.ts';
import { invalid, requireMinor } from './faults.ts';
import { PatchMisfit, type PatchStep, patched } from './json-patch.ts';
import { interfaces, nodeFields, sinceOf } from './node-fields.ts';
import type { NodeState } from './node-state.ts';

/** A node in the words in which clients may change it. */
type Document = Record<string, unknown>;

const interfaceOf = (field: string): string | undefined => {
  const name = /^(\w+)_interface$/.exec(field)?.[1];
  return name !== undefined && Object.hasOwn(interfaces, name) ? name : undefined;
};

const isSettable = (field: string): boolean =>
  Object.hasOwn(nodeFields, field) && (nodeFields[field]!.attribute !== undefined || interfaceOf(field) !== undefined);

const settable = Object.keys(nodeFields).filter(isSettable);

/** Fields as a client gives them when a node is enrolled. @throws Fault where one cannot be set, or is of a later version */
export function attributesOf(request: FastifyRequest, given: Document): object {
  for (const field of Object.keys(given)) {
    if (!isSettable(field) && !isUnset(field, given[field])) throw notSettable(field);
    requireMinor(request, sinceOf(field), `The field ${field}`);
  }
  return inLedgersWords(given);
}

/** Whether a client only says that something is not set which the ledger does not keep. */
const isUnset = (field: string, value: unknown): boolean =>
  Object.hasOwn(nodeFields, field) && (value === null || value === '');

/** Clients name each interface of a driver; the ledger keeps them together. */
function inLedgersWords(given: Document): object {
  const fields = Object.entries(given).filter(([field]) => isSettable(field));
  const chosen = fields.filter(([field, value]) => interfaceOf(field) !== undefined && value !== null);
  const attributes = fields
    .filter(([field]) => nodeFields[field]!.attribute !== undefined)
    .map(([field, value]) => [nodeFields[field]!.attribute, value ?? nodeFields[field]!.unset]);
  return {
    ...Object.fromEntries(attributes),
    ...(chosen.length > 0 && {
      interfaces: Object.fromEntries(chosen.map(([field, value]) => [interfaceOf(field), value])),
    }),
  };
}

/** What a patch changes: attributes, the instance, and whether the node is in maintenance. */
export interface NodeChange {
  readonly update: object;
  readonly maintenance: boolean | null;
}

/** @throws Fault where the patch cannot be taken */
export function changeOf(request: FastifyRequest, node: NodeState, steps: readonly PatchStep[]): NodeChange {
  const before = documentOf(node);
  for (const step of steps) requirePatchable(request, step);
  const after = unset(applied(before, steps));
  const changed = Object.keys(after).filter((field) => !sameJson(before[field], after[field]));
  const {
    instance_uuid: instanceId,
    maintenance,
    ...rest
  } = Object.fromEntries(changed.map((field) => [field, after[field]])) as Document;
  const touched = changed.some((field) => interfaceOf(field) !== undefined);
  const { interfaces: _, ...attributes } = inLedgersWords(rest) as Document;
  return {
    update: {
      ...attributes,
      ...(touched && { interfaces: (inLedgersWords(after) as Document).interfaces ?? {} }),
      ...(instanceId !== undefined && { instanceId }),
    },
    maintenance: maintenance === undefined ? null : requireBoolean(maintenance),
  };
}

function requireBoolean(maintenance: unknown): boolean {
  if (typeof maintenance === 'boolean') return maintenance;
  throw invalid('maintenance is either true or false.');
}

const documentOf = (node: NodeState): Document => ({
  ...Object.fromEntries(settable.map((field) => [field, nodeFields[field]!.value(node, Number.POSITIVE_INFINITY)])),
  instance_uuid: node.instanceId,
  maintenance: node.maintenance !== null,
});

/** What was removed is as it is where nobody ever set it. */
const unset = (document: Document): Document => {
  const removed = [...settable, 'instance_uuid', 'maintenance'].filter((field) => !Object.hasOwn(document, field));
  const values = removed.map((field) => [field, field === 'maintenance' ? false : (nodeFields[field]!.unset ?? null)]);
  return { ...document, ...Object.fromEntries(values) };
};

function requirePatchable(request: FastifyRequest, step: PatchStep): void {
  const field = keysIn(step.path)[0]!;
  if (!isSettable(field) && field !== 'instance_uuid' && field !== 'maintenance') throw notSettable(field);
  requireMinor(request, sinceOf(field), `The field ${field}`);
  if (field === 'driver' && step.op === 'remove') throw invalid('A node cannot be without a driver.');
}

function applied(document: Document, steps: readonly PatchStep[]): Document {
  try {
    return patched(document, steps);
  } catch (error) {
    throw error instanceof PatchMisfit ? invalid(error.message) : error;
  }
}

const notSettable = (field: string) =>
  invalid(`${field} cannot be set. What can: ${[...settable, 'instance_uuid', 'maintenance'].sort().join(', ')}.`);
