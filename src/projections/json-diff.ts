import { type Json, sameJson } from '../domain/kernel/json.ts';
import { pointerStep } from '../domain/kernel/json-pointer.ts';
import type { JsonPatchOperation } from './patch.ts';

/** A JSON Patch (RFC 6902) that makes `after` of `before`. Lists are compared item by item, apart from what both have at their ends. */
export function diff(before: Json, after: Json): JsonPatchOperation[] {
  const operations: JsonPatchOperation[] = [];
  compare(before, after, '', operations);
  return operations;
}

function compare(before: Json, after: Json, path: string, operations: JsonPatchOperation[]): void {
  if (before === after) return;
  if (Array.isArray(before) && Array.isArray(after)) compareLists(before, after, path, operations);
  else if (isObject(before) && isObject(after)) compareObjects(before, after, path, operations);
  else operations.push({ op: 'replace', path, value: after });
}

function compareObjects(before: JsonRecord, after: JsonRecord, path: string, operations: JsonPatchOperation[]): void {
  for (const key of Object.keys(before)) {
    if (!Object.hasOwn(after, key)) operations.push({ op: 'remove', path: `${path}/${pointerStep(key)}` });
  }
  for (const [key, value] of Object.entries(after)) {
    const inner = `${path}/${pointerStep(key)}`;
    if (Object.hasOwn(before, key)) compare(before[key]!, value, inner, operations);
    else operations.push({ op: 'add', path: inner, value });
  }
}

/** Removals come from the back, so that the places in front of them stay what they are. */
function compareLists(
  before: readonly Json[],
  after: readonly Json[],
  path: string,
  operations: JsonPatchOperation[],
): void {
  const shorter = Math.min(before.length, after.length);
  let front = 0;
  while (front < shorter && sameJson(before[front], after[front])) front++;
  let back = 0;
  while (back < shorter - front && sameJson(before[before.length - 1 - back], after[after.length - 1 - back])) back++;

  const oldMiddle = before.slice(front, before.length - back);
  const newMiddle = after.slice(front, after.length - back);
  const both = Math.min(oldMiddle.length, newMiddle.length);
  for (let index = oldMiddle.length - 1; index >= both; index--) {
    operations.push({ op: 'remove', path: `${path}/${front + index}` });
  }
  for (let index = 0; index < both; index++) {
    compare(oldMiddle[index]!, newMiddle[index]!, `${path}/${front + index}`, operations);
  }
  for (let index = both; index < newMiddle.length; index++) {
    operations.push({ op: 'add', path: `${path}/${front + index}`, value: newMiddle[index]! });
  }
}

type JsonRecord = { [key: string]: Json };

const isObject = (value: Json): value is JsonRecord =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
