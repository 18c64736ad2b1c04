import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import fastifyStatic from '@fastify/static';
import type { FastifyInstance } from 'fastify';
import type { Kind } from '../../domain/kernel/resource.ts';
import { negotiate } from '../http/accept.ts';
import { undocumented } from '../openapi/openapi-routes.ts';
import { apiProblem } from '../problems/problem.ts';

/** The files are nobody's secret: whoever opens the page gives a token there, and only what it then asks for needs a role. */
const open = { schema: undocumented, config: { needs: null } } as const;

/** Where the build puts the console, seen from the sources and from `dist` alike. */
const builtConsole = fileURLToPath(new URL('../../../dist/console/', import.meta.url));

/** Scripts, styles and answers from this server alone; nothing inline, nothing in a frame. */
const contentPolicy =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'";

const pageHeaders = {
  'content-security-policy': contentPolicy,
  'referrer-policy': 'same-origin',
  'x-content-type-options': 'nosniff',
  'cache-control': 'no-cache',
};

/** What a checkout shows in which nobody ran the build. */
const notBuilt =
  '<!doctype html><html lang="en"><title>Stackledger</title><p>The console is not built: <code>npm run build</code> does that. The API is described at <a href="/docs">/docs</a>.</p></html>';

/** A year. The name of a file in `assets/` changes with what is in it. */
const forEver = { maxAge: '365d', immutable: true };

/** `/` and the pages below it: one document that finds out by its address what to show. */
export async function consoleRoutes(
  app: FastifyInstance,
  { kinds, root = builtConsole }: { readonly kinds: readonly Kind[]; readonly root?: string },
): Promise<void> {
  await app.register(fastifyStatic, { root, serve: false });
  const pages = [
    '/',
    ...kinds.flatMap((kind) => [`/${kind}s`, `/${kind}s/:id`]),
    '/operations/:correlationId',
    '/doctor',
    '/search',
  ];
  for (const page of pages) {
    app.get(page, open, async (request, reply) => {
      negotiate(request.headers.accept, ['text/html']);
      reply.headers(pageHeaders);
      if (existsSync(`${root}/index.html`)) return reply.sendFile('index.html', { cacheControl: false });
      return reply.type('text/html; charset=utf-8').send(notBuilt);
    });
  }
  app.get<{ Params: { file: string } }>('/assets/:file', open, async ({ params: { file } }, reply) => {
    if (!/^\w[\w.-]*$/.test(file) || !existsSync(`${root}/assets/${file}`)) {
      throw apiProblem('unknown-path', 'The console has no such file; it may have been built anew since.');
    }
    return reply.header('x-content-type-options', 'nosniff').sendFile(`assets/${file}`, forEver);
  });
}
