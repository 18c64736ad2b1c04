import fastify, { type FastifyInstance, type FastifyReply } from 'fastify';
import { negotiate } from '../http/accept.ts';
import { undocumented } from '../openapi/openapi-routes.ts';
import { apiProblem } from '../problems/problem.ts';
import type { ProblemType } from '../problems/problem-types.ts';

const open = { schema: undocumented, config: { needs: null } } as const;

/** Everything the pages need is on this server; nothing is fetched from elsewhere, also where somebody tries to slip it in. */
const contentPolicy =
  "default-src 'self'; script-src 'self' 'unsafe-inline' 'unsafe-eval'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; font-src 'self' data:; connect-src 'self'; frame-ancestors 'none'";

/** `/docs` and `/problems`: what people open in a browser beside the console. */
export function pageRoutes(app: FastifyInstance, problemTypes: ReadonlyMap<string, ProblemType>): void {
  problemPages(app, problemTypes);
  referencePage(app);
}

function problemPages(app: FastifyInstance, types: ReadonlyMap<string, ProblemType>): void {
  const documents = [...types].map(([slug, type]) => ({ type: `/problems/${slug}`, ...type }));
  const list = documents
    .map(
      ({ type, status, title }) =>
        `<li><a href="${type}">${type.slice('/problems/'.length)}</a> (${status}): ${escapeHtml(title)}</li>`,
    )
    .join('\n');

  app.get('/problems', open, async (request, reply) =>
    prefersHtml(request.headers.accept)
      ? sendHtml(reply, page('Problems', `<ul>\n${list}\n</ul>`))
      : reply.send({ problems: documents }),
  );

  app.get<{ Params: { slug: string } }>('/problems/:slug', open, async (request, reply) => {
    const { slug } = request.params;
    const type = types.get(slug);
    if (!type) throw apiProblem('unknown-path', `There is no kind of problem "${slug}"; /problems lists them all.`);
    if (!prefersHtml(request.headers.accept)) return reply.send({ type: `/problems/${slug}`, ...type });
    const body = `<p><code>${slug}</code>, HTTP status ${type.status}</p>\n<p>${paragraph(type.explanation)}</p>\n<p><a href="/problems">All problems</a></p>`;
    return sendHtml(reply, page(type.title, body));
  });
}

const prefersHtml = (accept: string | undefined): boolean =>
  negotiate(accept, ['text/html', 'application/json', 'application/problem+json']) === 'text/html';

/**
 * The API reference. Its four megabytes of script are loaded when somebody first asks for the page, by a small server
 * of their own that no port leads to.
 */
function referencePage(app: FastifyInstance): void {
  let renderer: Promise<FastifyInstance> | undefined;
  const forward = async (path: string, reply: FastifyReply): Promise<FastifyReply> => {
    renderer ??= referenceRenderer();
    const { payload, headers } = await (await renderer).inject(path);
    return reply
      .header('content-type', headers['content-type'])
      .header('content-security-policy', contentPolicy)
      .send(payload);
  };
  app.addHook('onClose', async () => (await renderer)?.close());
  app.get('/docs', open, (_request, reply) => forward('/docs/', reply));
  app.get('/docs/js/scalar.js', open, (_request, reply) =>
    forward('/docs/js/scalar.js', reply.header('cache-control', 'max-age=86400')),
  );
}

async function referenceRenderer(): Promise<FastifyInstance> {
  const { default: reference } = await import('@scalar/fastify-api-reference');
  const renderer = fastify();
  await renderer.register(reference, {
    routePrefix: '/docs',
    configuration: {
      url: '/openapi.json',
      cdn: '/docs/js/scalar.js',
      pageTitle: 'Stackledger API',
      withDefaultFonts: false,
      telemetry: false,
      hideClientButton: true,
      agent: { disabled: true },
    },
  });
  return renderer;
}

const sendHtml = (reply: FastifyReply, html: string): FastifyReply =>
  reply.type('text/html; charset=utf-8').header('content-security-policy', contentPolicy).send(html);

const page = (title: string, body: string): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)}</title>
<style>
:root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif; }
body { max-width: 44rem; margin: 3rem auto; padding: 0 1rem; }
</style>
</head>
<body>
<h1>${escapeHtml(title)}</h1>
${body}
</body>
</html>
`;

/** Plain text whose words in backticks are code. */
const paragraph = (text: string): string => escapeHtml(text).replace(/`([^`]+)`/g, '<code>$1</code>');

const escapeHtml = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
