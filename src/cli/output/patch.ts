import type { JsonPatchOperation } from '../../client/answers.ts';

type Container = Record<string, unknown> | unknown[];

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
    const value = op === 'remove' ? undefined : structuredClone(operation.value);
    if (path === '') {
      this.#state = value;
      return compare('', {}, value); // a life begins: whatever was before belongs to another
    }
    const keys = path.slice(1).split('/').map(unescaped);
    const key = keys.pop()!;
    const container = keys.reduce((inner, step) => member(inner, step) as Container, this.#state as Container);
    const before = op === 'add' && Array.isArray(container) ? undefined : member(container, key);
    put(container, key, op, value);
    return compare(path, before, value);
  }
}

/** Down to what really differs: a list that lost one of its ten items changed in one. */
function compare(path: string, before: unknown, after: unknown): Change[] {
  if (JSON.stringify(before) === JSON.stringify(after)) return [];
  if (Array.isArray(before) && Array.isArray(after)) return compareItems(path, before, after);
  if (!isObject(before) || !isObject(after)) return [{ path, before, after }];
  const names = Object.keys({ ...before, ...after });
  return names.flatMap((name) => compare(`${path}/${escaped(name)}`, before[name], after[name]));
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

const escaped = (step: string): string => step.replaceAll('~', '~0').replaceAll('/', '~1');
const unescaped = (step: string): string => step.replaceAll('~1', '/').replaceAll('~0', '~');

const member = (container: Container, key: string): unknown => (container as Record<string, unknown>)[key];

function put(container: Container, key: string, op: JsonPatchOperation['op'], value: unknown): void {
  if (!Array.isArray(container)) {
    if (op === 'remove') delete container[key];
    else container[key] = value;
    return;
  }
  const index = key === '-' ? container.length : Number(key);
  if (op === 'add') container.splice(index, 0, value);
  else if (op === 'remove') container.splice(index, 1);
  else container[index] = value;
}
