import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { TokensFile } from '../../access/tokens.ts';
import { flawsOf, invalidRequest, passingProblem } from '../../problems/problem.ts';
import { Fault } from '../fault.ts';
import { baseUrl, forAll, forRole, type Service, withSlash } from '../service.ts';
import { accountOf, mayActFor, proven } from './accounts.ts';
import type { IssuedTokens, Known } from './issued-tokens.ts';
import { credentialsIn, LoginBody, projectIn } from './login.ts';
import { catalogOf, projectShown, tokenShown } from './shown.ts';

export interface IdentityOptions {
  readonly issued: IssuedTokens;
  /** Who may log in now. */
  readonly accounts: (() => TokensFile) | null;
  readonly services: readonly Service[];
}

const version = (base: string) => ({
  id: 'v3.14',
  status: 'stable',
  updated: '2020-04-07T00:00:00Z',
  links: [{ rel: 'self', href: `${base}/identity/v3/` }],
  'media-types': [{ base: 'application/json', type: 'application/vnd.openstack.identity-v3+json' }],
});

/** Just enough of Keystone for its clients to log in and to find the other services. */
export function identityRoutes(scope: FastifyInstance, { issued, accounts, services }: IdentityOptions): void {
  scope.get('/', forAll, async (request, reply) =>
    reply.code(300).send({ versions: { values: [version(baseUrl(request))] } }),
  );
  for (const path of withSlash('/v3'))
    scope.get(path, forAll, async (request) => ({ version: version(baseUrl(request)) }));

  const oneOfFew = fewAtATime();
  const catalog = (request: FastifyRequest) => catalogOf(services, baseUrl(request));
  const answered = (request: FastifyRequest, known: Known) => ({
    token: tokenShown(known, 'nocatalog' in (request.query as object) ? undefined : catalog(request)),
  });

  scope.post('/v3/auth/tokens', forAll, async (request, reply) => {
    const token = await oneOfFew(() => logIn(request.body, issued, accounts?.() ?? null));
    return reply
      .code(201)
      .header('x-subject-token', token)
      .send(answered(request, issued.find(token)!));
  });

  scope.get('/v3/auth/tokens', forRole('reader'), async (request, reply) => {
    const subject = String(request.headers['x-subject-token'] ?? '');
    const known = issued.find(subject);
    if (!known)
      throw new Fault(404, 'Not Found', 'X-Subject-Token is no token that was issued here, or its time is over.');
    return reply.header('x-subject-token', subject).send(answered(request, known));
  });

  scope.get('/v3/auth/catalog', forRole('reader'), async (request) => ({ catalog: catalog(request), links: {} }));

  for (const path of ['/v3/auth/projects', '/v3/projects']) {
    scope.get(path, forRole('reader'), async ({ caller }) => ({
      projects: [projectShown(caller.actor.projectId ?? 'default')],
      links: {},
    }));
  }
  scope.get<{ Params: { id: string } }>('/v3/projects/:id', forRole('reader'), async ({ params: { id }, caller }) => {
    if (![undefined, id].includes(caller.confinedTo))
      throw new Fault(404, 'Not Found', `Could not find project: ${id}.`);
    return { project: projectShown(id) };
  });
}

/** Passwords are slow to check on purpose; nobody is to fill the process with guesses. */
const maxLogins = 32;

function fewAtATime() {
  let underWay = 0;
  return async <T>(work: () => Promise<T>): Promise<T> => {
    if (underWay >= maxLogins) throw passingProblem('too-many-commands', `${maxLogins} logins are being checked.`);
    underWay++;
    try {
      return await work();
    } finally {
      underWay--;
    }
  };
}

/** A token for whoever proves to be somebody. @throws Fault as Keystone words it */
async function logIn(body: unknown, issued: IssuedTokens, accounts: TokensFile | null): Promise<string> {
  const parsed = LoginBody.safeParse(body);
  if (!parsed.success) throw invalidRequest(flawsOf('body', parsed.error.issues));
  const credentials = credentialsIn(parsed.data);
  if (!credentials)
    throw new Fault(400, 'Bad Request', 'auth.identity names a method but brings no credentials for it.');

  const again = credentials.method === 'token' ? issued.find(credentials.token) : null;
  const shown = again
    ? { login: again.login, until: again.expiresAt }
    : await proven(credentials, accounts, Date.now());
  if (!shown) throw unauthorized('The user name, the application credential, or its secret is wrong.');

  const project = projectIn(parsed.data);
  const account = accountOf(shown.login, accounts);
  if (!account || (project !== undefined && !mayActFor(project, account))) {
    throw unauthorized(`This account belongs to another project than ${project}.`);
  }
  return issued.issue({ ...shown.login, ...(project !== undefined && { project }) }, shown.until);
}

const unauthorized = (message: string): Fault => new Fault(401, 'Unauthorized', message);
