/** A key, or an index, as a step of a JSON pointer (RFC 6901). */
export const pointerStep = (key: PropertyKey): string => String(key).replaceAll('~', '~0').replaceAll('/', '~1');

/** The JSON pointer by which keys lead into a document: `pointerTo(['tags', 0])` is `/tags/0`. */
export const pointerTo = (keys: readonly PropertyKey[]): string => keys.map((key) => `/${pointerStep(key)}`).join('');

/** The keys by which a JSON pointer leads into a document. */
export const keysIn = (pointer: string): string[] =>
  pointer
    .split('/')
    .slice(1)
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'));

/** What keys lead to in a document; undefined where there is nothing. */
export function valueAt(document: unknown, keys: readonly PropertyKey[]): unknown {
  let value = document;
  for (const key of keys) {
    if (value === null || typeof value !== 'object') return undefined;
    value = (value as Readonly<Record<PropertyKey, unknown>>)[key];
  }
  return value;
}
