import type { FastifyInstance } from 'fastify';

/** Knows which methods each path has, to tell a wrong method from a wrong path. */
export class PathTable {
  readonly #paths = new Map<string, { readonly pattern: RegExp; readonly methods: Set<string> }>();

  /** Watches the routes that are registered from now on. */
  constructor(app: FastifyInstance) {
    app.addHook('onRoute', ({ url, method }) => {
      const known = this.#paths.get(url) ?? { pattern: patternOf(url), methods: new Set() };
      for (const each of [method].flat()) known.methods.add(each);
      this.#paths.set(url, known);
    });
  }

  /** The methods of the path that a URL names; none where there is no such path. */
  methodsOf(url: string): string[] {
    const path = pathOf(url);
    return [...this.#paths.values()].filter(({ pattern }) => pattern.test(path)).flatMap(({ methods }) => [...methods]);
  }
}

/** A URL without its query, which some people put secrets into. */
export const pathOf = (url: string): string => url.split('?', 1)[0]!;

const patternOf = (url: string): RegExp => {
  const escapedUrl = url.replace(/[.+?^${}()|[\]\\]/g, '\\$&');
  return new RegExp(`^${escapedUrl.replace(/:[A-Za-z]+/g, '[^/]+').replace(/\*/g, '.*')}$`);
};
