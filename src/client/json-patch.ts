import { keysIn } from '../domain/kernel/json-pointer.ts';
import type { JsonPatchOperation } from './answers.ts';

/** A document after a patch (RFC 6902). What did not change is the same object as before; nothing is changed in place. */
export const applyPatch = (document: unknown, patch: readonly JsonPatchOperation[]): unknown =>
  patch.reduce((before, operation) => change(before, keysIn(operation.path), operation), document);

function change(target: unknown, [key, ...rest]: readonly string[], operation: JsonPatchOperation): unknown {
  if (key === undefined) return operation.op === 'remove' ? null : operation.value;
  if (Array.isArray(target)) return changeList(target, key, rest, operation);
  const members = target as Record<string, unknown>;
  if (rest.length === 0 && operation.op === 'remove') {
    const { [key]: _, ...others } = members;
    return others;
  }
  return { ...members, [key]: change(members[key], rest, operation) };
}

function changeList(list: readonly unknown[], key: string, rest: readonly string[], operation: JsonPatchOperation) {
  const index = key === '-' ? list.length : Number(key);
  if (rest.length > 0) return list.with(index, change(list[index], rest, operation));
  const isNew = operation.op === 'add';
  return list.toSpliced(index, isNew ? 0 : 1, ...(operation.op === 'remove' ? [] : [operation.value]));
}
