import type { Kind } from '../../src/client/index.ts';

export const kinds: readonly Kind[] = ['server', 'port', 'node', 'agent', 'network'];

export const kindOfPath = (plural: string): Kind | null => kinds.find((kind) => `${kind}s` === plural) ?? null;

/** Several of a kind, as a title: `Servers`. */
export const titleOf = (kind: Kind): string => `${kind[0]!.toUpperCase()}${kind.slice(1)}s`;

export const hrefOf = ({ kind, id }: { readonly kind: Kind; readonly id: string }): string =>
  `/${kind}s/${encodeURIComponent(id)}`;

export const apiPathOf = (resource: { readonly kind: Kind; readonly id: string }): string => `/v1${hrefOf(resource)}`;

/** The answer that a page is drawn from; pages and answers go by the same names. */
export const answerBehind = ({ pathname, search }: { readonly pathname: string; readonly search: string }): string =>
  `/v1${pathname === '/' ? '/overview' : pathname}${search}`;

/** The page of the resource that a stream tells of; null where it tells of none. */
export function resourceOfStream(stream: string): string | null {
  const kind = kinds.find((each) => stream.startsWith(`${each}-`));
  return kind ? hrefOf({ kind, id: stream.slice(kind.length + 1) }) : null;
}
