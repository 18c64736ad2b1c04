import type { JsonPatchOperation } from '../../client/answers.ts';
import { applyPatch } from '../../client/json-patch.ts';
import { keysIn, pointerStep, valueAt } from '../../domain/kernel/json-pointer.ts';

/** One thing that an event changed in a state; undefined is what was not there before, or is not there any more. */
export interface Change {
  readonly path: string;
  readonly before: unknown;
  readonly after: unknown;
}

/** A state that is followed patch by patch (RFC 6902: add, replace, remove), and what each patch changed in it. */
export class PatchedState {
  #state: unknown = null;

  get state(): unknown {
    return this.#state;
  }

  apply(patch: readonly JsonPatchOperation[]): Change[] {
    return patch.flatMap((operation) => this.#apply(operation));
  }

  #apply(operation: JsonPatchOperation): Change[] {
    const { op, path } = operation;
    const keys = keysIn(path);
    const state = this.#state;
    this.#state = applyPatch(state, [operation]);
    const after = op === 'remove' ? undefined : operation.value;
    if (keys.length === 0) return compare('', {}, after); // a life begins: whatever was before belongs to another
    const container = valueAt(state, keys.slice(0, -1));
    const before = op === 'add' && Array.isArray(container) ? undefined : valueAt(state, keys);
    return compare(path, before, after);
  }
}

/** Down to what really differs: a list that lost one of its ten items changed in one. */
function compare(path: string, before: unknown, after: unknown): Change[] {
  if (JSON.stringify(before) === JSON.stringify(after)) return [];
  if (Array.isArray(before) && Array.isArray(after)) return compareItems(path, before, after);
  if (!isObject(before) || !isObject(after)) return [{ path, before, after }];
  const names = Object.keys({ ...before, ...after });
  return names.flatMap((name) => compare(`${path}/${pointerStep(name)}`, before[name], after[name]));
}

function compareItems(path: string, before: readonly unknown[], after: readonly unknown[]): Change[] {
  const [there, here] = [before, after].map((items) => new Set(items.map((item) => JSON.stringify(item))));
  return [
    ...before
      .filter((item) => !here!.has(JSON.stringify(item)))
      .map((item) => ({ path, before: item, after: undefined })),
    ...after
      .filter((item) => !there!.has(JSON.stringify(item)))
      .map((item) => ({ path, before: undefined, after: item })),
  ];
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
