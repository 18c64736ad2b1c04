import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { hashPassword } from '../../../src/api/access/passwords.ts';
import { hashToken, parseTokensFile } from '../../../src/api/access/tokens.ts';
import { IssuedTokens } from '../../../src/api/openstack/identity/issued-tokens.ts';
import { type Answer, sharedLedger, startLedger } from '../support.ts';
import { patient } from './site.ts';

const [horse, battery] = await Promise.all(['correct horse', 'battery'].map(hashPassword));

function tokensFile(more: object = {}): string {
  const content = {
    tokens: [
      { name: 'rita', sha256: hashToken('ritas-token'), roles: ['reader'] },
      { name: 'old', sha256: hashToken('old-token'), roles: ['admin'], expiresAt: '2020-01-01T00:00:00Z' },
    ],
    users: [
      { name: 'olga', password: horse, roles: ['operator'] },
      { name: 'paul', password: battery, roles: ['operator'], projectId: 'p-1' },
    ],
    applicationCredentials: [
      { id: 'ac-1', name: 'deployer', sha256: hashToken('long-and-random'), roles: ['operator'] },
      { id: 'ac-2', name: 'watcher', sha256: hashToken('long-and-random'), roles: ['reader'] },
    ],
    ...more,
  };
  const file = join(mkdtempSync(join(tmpdir(), 'stackledger-')), 'tokens.json');
  writeFileSync(file, JSON.stringify(content));
  return file;
}

const file = tokensFile();
const guarded = sharedLedger(['--tokens-file', file, ...patient]);
const open = sharedLedger(patient);

type Ledger = Pick<ReturnType<typeof guarded>, 'post'>;
const logIn = (identity: object, ledger: Ledger = guarded(), scope?: object): Promise<Answer> =>
  ledger.post('/identity/v3/auth/tokens', { auth: { identity, ...(scope && { scope }) } });
const password = (name: string, secret: string) => ({
  methods: ['password'],
  password: { user: { name, domain: { name: 'Default' }, password: secret } },
});
const credential = (id: string, secret: string) => ({
  methods: ['application_credential'],
  application_credential: { id, secret },
});
const token = (id: string) => ({ methods: ['token'], token: { id } });
const tokenOf = ({ headers }: Answer): string => headers.get('x-subject-token')!;

const enroll = (ledger: Ledger, authToken?: string): Promise<Answer> =>
  ledger.post('/baremetal/v1/nodes', { driver: 'ipmi' }, authToken === undefined ? {} : { 'x-auth-token': authToken });

describe('a login', () => {
  test.each([
    ['a password', password('olga', 'correct horse'), 'olga', 'operator'],
    ['an application credential', credential('ac-1', 'long-and-random'), 'deployer', 'operator'],
    ['the same secret of another one', credential('ac-2', 'long-and-random'), 'watcher', 'reader'],
    ['a token of the tokens file', token('ritas-token'), 'rita', 'reader'],
  ])('with %s gives a token for its owner', async (_what, identity, name, role) => {
    const answer = await logIn(identity);
    expect(answer.status).toBe(201);
    expect(answer.body.token).toMatchObject({ user: { name }, roles: [{ name: role }] });
    expect((await enroll(guarded(), tokenOf(answer))).status).toBe(role === 'reader' ? 403 : 201);
  });

  test('gives the way to the other services, as the caller sees this server', async () => {
    const { catalog } = (await logIn(password('olga', 'correct horse'))).body.token;
    const urls = catalog.map(({ type, endpoints }: { type: string; endpoints: { url: string }[] }) => [
      type,
      endpoints[0]!.url,
    ]);
    const { url } = guarded();
    expect(Object.fromEntries(urls)).toMatchObject({
      identity: `${url}/identity`,
      baremetal: `${url}/baremetal`,
      compute: `${url}/compute/v2.1`,
      network: `${url}/network`,
    });
  });

  test.each([
    ['a wrong password', password('olga', 'wrong'), 401],
    ['a user nobody knows', password('nobody', 'correct horse'), 401],
    ['the hash in place of the secret', credential('ac-1', hashToken('long-and-random')), 401],
    ['the secret of a credential nobody knows', credential('ac-9', 'long-and-random'), 401],
    ['a token that has ended', token('old-token'), 401],
    ['a method nobody knows', { methods: ['totp'] }, 400],
    ['a method without credentials', { methods: ['password'] }, 400],
  ])('with %s is refused', async (_what, identity, status) => {
    const answer = await logIn(identity);
    expect(answer.status).toBe(status);
    expect(answer.body.error).toMatchObject({ code: status });
    expect(tokenOf(answer)).toBeNull();
  });

  test('is for the project of the account, or for any where it has none', async () => {
    const scope = (id: string) => ({ project: { id } });
    expect((await logIn(password('paul', 'battery'), guarded(), scope('p-2'))).status).toBe(401);
    expect((await logIn(password('paul', 'battery'))).body.token.project.id).toBe('p-1');
    const answer = await logIn(password('olga', 'correct horse'), guarded(), scope('p-2'));
    expect(answer.body.token.project.id).toBe('p-2');
  });
});

describe('a token that was issued', () => {
  test('is shown to whoever may ask, and is exchanged for one that ends no later', async () => {
    const first = await logIn(password('olga', 'correct horse'));
    const headers = { 'x-auth-token': tokenOf(first), 'x-subject-token': tokenOf(first) };
    const shown = await guarded().get('/identity/v3/auth/tokens', headers);
    expect(shown.body).toEqual(first.body);
    const again = await logIn(token(tokenOf(first)));
    expect(again.body.token.expires_at).toBe(first.body.token.expires_at);
    expect((await guarded().get('/identity/v3/auth/tokens', { ...headers, 'x-subject-token': 'x' })).status).toBe(404);
  });

  test('is worth nothing where somebody has changed it', async () => {
    const issued = tokenOf(await logIn(credential('ac-2', 'long-and-random')));
    const [body, signature] = issued.split('.') as [string, string];
    const content = JSON.parse(Buffer.from(body, 'base64url').toString());
    content.login.id = 'ac-1';
    const forged = `${Buffer.from(JSON.stringify(content)).toString('base64url')}.${signature}`;
    const answer = await enroll(guarded(), forged);
    expect(answer.status).toBe(401);
    expect(answer.headers.get('www-authenticate')).toBe(`Keystone uri="${guarded().url}/identity"`);
  });

  const now = Date.parse('2026-01-01T00:00:00.000Z');
  const process = (more: object, time = now) => {
    const file = parseTokensFile(readFileSync(tokensFile(more), 'utf8'));
    return new IssuedTokens(
      () => file,
      () => time,
    );
  };
  const login = { method: 'password', id: 'olga' } as const;
  const signingKey = 'k'.repeat(32);

  test('is known to another process with the same key, and there alone', () => {
    const issued = process({ signingKey }).issue(login);
    expect(process({ signingKey }).find(issued)?.caller.actor.id).toBe('olga');
    expect(process({ signingKey: 'o'.repeat(32) }).find(issued)).toBeNull();
    expect(process({}).find(issued)).toBeNull();
  });

  test('ends with its hour, and with the account', () => {
    const issued = process({ signingKey }).issue(login);
    expect(process({ signingKey }, now + 3_599_999).find(issued)).not.toBeNull();
    expect(process({ signingKey }, now + 3_600_000).find(issued)).toBeNull();
    expect(process({ signingKey, users: [] }).find(issued)).toBeNull();
  });
});

describe('without a login', () => {
  test('a token of the tokens file is as good', async () => {
    expect((await enroll(guarded(), 'ritas-token')).status).toBe(403);
    expect((await guarded().get('/baremetal/v1/nodes', { 'x-auth-token': 'ritas-token' })).status).toBe(200);
    expect((await guarded().get('/baremetal/v1/nodes', { authorization: 'Bearer ritas-token' })).status).toBe(200);
  });

  test('nothing but versions is shown', async () => {
    for (const path of ['/identity', '/identity/v3', '/baremetal/v1', '/compute/v2.1/', '/network/v2.0']) {
      expect((await guarded().get(path)).status, path).toBeLessThan(301);
    }
    for (const path of ['/identity/v3/auth/tokens', '/identity/v3/projects', '/baremetal/v1/nodes']) {
      expect((await guarded().get(path)).status, path).toBe(401);
    }
  });
});

describe('a ledger without a tokens file', () => {
  test('takes any credentials, and remembers whose they were', async () => {
    const answer = await logIn(password('olga', 'anything'), open());
    expect(answer.body.token).toMatchObject({ user: { name: 'olga' }, roles: [{ name: 'admin' }] });
    const { uuid } = (await enroll(open(), tokenOf(answer))).body;
    const { events } = (await open().get(`/v1/nodes/${uuid}/history`)).body;
    expect(events[0].actor).toEqual({ type: 'user', id: 'olga' });
  });

  test('asks for none, and takes any token', async () => {
    expect((await enroll(open())).status).toBe(201);
    expect((await enroll(open(), 'fake')).status).toBe(201);
  });
});

describe('a tokens file', () => {
  test.each([
    [
      'with a password in the open',
      { users: [{ name: 'a', password: 'secret', roles: ['reader'] }] },
      'users.0.password',
    ],
    [
      'with a user twice',
      {
        users: [1, 2].map(() => ({
          name: 'a',
          password: `scrypt:${'A'.repeat(22)}:${'A'.repeat(43)}`,
          roles: ['reader'],
        })),
      },
      'users',
    ],
    ['with a short key', { signingKey: 'short' }, 'signingKey'],
  ])('%s stops the start', async (_what, more, line) => {
    const starting = startLedger(['--tokens-file', tokensFile(more)]);
    await expect(starting).rejects.toMatchObject({ lines: [expect.stringContaining(line)] });
  });
});
