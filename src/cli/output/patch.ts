import type { JsonPatchOperation } from '../../client/answers.ts';

type Container = Record<string, unknown> | unknown[];

/** One member of a state that an event changed. */
export interface Change {
  readonly path: string;
  /** Undefined where it was not there before, or is not there any more. */
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
    const { path } = operation;
    const value = operation.op === 'remove' ? undefined : structuredClone(operation.value);
    if (path === '') return this.#begin(value);

    const keys = path.slice(1).split('/').map(unescaped);
    const key = keys.pop()!;
    const container = keys.reduce((inner, step) => member(inner, step) as Container, this.#state as Container);
    const before = operation.op === 'add' && Array.isArray(container) ? undefined : member(container, key);
    put(container, key, operation.op, value);
    return [{ path, before, after: value }];
  }

  /** A life begins: everything is new. */
  #begin(value: unknown): Change[] {
    this.#state = value;
    return Object.entries(value as object).map(([key, after]) => ({ path: `/${key}`, before: undefined, after }));
  }
}

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
