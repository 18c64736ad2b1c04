import { randomUUID } from 'node:crypto';
import { generateKeyPair, type JSONWebKeySet, SignJWT, UnsecuredJWT } from 'jose';
import { afterAll, describe, expect, test } from 'vitest';
import { KeySet, KeysUnreachable } from '../../../src/api/access/oidc/key-set.ts';
import { loadConfig } from '../../../src/config.ts';
import { type Answer, portId, sharedLedger, slugOf, startLedger } from '../support.ts';
import { startProvider } from './idp.ts';
import { bearer, tokensFile } from './people.ts';

const provider = await startProvider();
afterAll(provider.stop);

const claims = ['--oidc-roles-claim', 'realm_access.roles', '--oidc-project-claim', 'project'];
const flags = ['--oidc-issuer', provider.issuer, '--oidc-audience', 'stackledger', ...claims];
const shared = sharedLedger([...flags, '--tokens-file', tokensFile()], ({ command }) =>
  command('CreatePort', { projectId: 'blue' }, bearer('ada')),
);

const rights = (roles: unknown, project: unknown = '*') => ({ realm_access: { roles }, project });
const read = async (token: string): Promise<Answer> => shared().get(`/v1/ports/${portId}`, bearer(token));

describe('a token of the identity provider', () => {
  test('is its bearer, with the roles and the project that it says', async () => {
    const id = randomUUID();
    const token = await provider.signed(rights(['offline_access', 'operator'], 'red'));
    const path = `/v1/ports/${id}/commands`;
    const made = await shared().post(path, { type: 'CreatePort' }, bearer(token));
    expect([made.status, made.body.state.projectId]).toEqual([200, 'red']);
    const { events } = (await shared().get(`/v1/ports/${id}/history`, bearer('ada'))).body;
    expect(events[0].actor).toEqual({ type: 'user', id: 'jane', projectId: 'red' });
    expect((await read(token)).status).toBe(404);
    const refused = await shared().post(path, { type: 'SetPortStatus', data: { status: 'ERROR' } }, bearer(token));
    expect([slugOf(refused), refused.body.needed]).toEqual(['role-missing', 'admin']);
  });

  test('opens the OpenStack paths as well, and leaves the tokens of the file alone', async () => {
    const token = await provider.signed(rights('reader agent'));
    expect((await shared().get(`/network/v2.0/ports/${portId}`, { 'x-auth-token': token })).status).toBe(200);
    expect((await shared().get(`/network/v2.0/ports/${portId}`, { 'x-auth-token': 'rita' })).status).toBe(200);
    expect((await shared().get('/network/v2.0/ports')).status).toBe(401);
  });

  const hour = 3600;
  const now = Math.floor(Date.now() / 1000);
  test.each<[string, Record<string, unknown>, string]>([
    ['that has ended', { exp: now - hour }, 'past its time'],
    ['that begins later', { nbf: now + hour }, 'not valid yet'],
    ['of another issuer', { iss: 'https://elsewhere.example' }, 'another issuer'],
    ['for another service', { aud: 'mail' }, 'another audience'],
    ['that never ends', { exp: undefined }, 'without an end'],
  ])('%s is refused', async (_what, wrong, reason) => {
    const answer = await read(await provider.signed({ ...rights(['admin']), ...wrong }));
    expect([answer.status, slugOf(answer)]).toEqual([401, 'unauthenticated']);
    expect(answer.body.detail).toContain(reason);
    expect(answer.headers.get('www-authenticate')).toContain('invalid_token');
  });

  test('is refused where nobody but its bearer vouches for it', async () => {
    const payload = { iss: provider.issuer, aud: 'stackledger', sub: 'eve', exp: now + hour, ...rights(['admin']) };
    const forged = await provider.signed(payload, { pair: await generateKeyPair('ES256') });
    const withSecret = await new SignJWT(payload).setProtectedHeader({ alg: 'HS256' }).sign(Buffer.alloc(32, 1));
    const [head, body] = (await provider.signed(rights(['reader']))).split('.') as [string, string];
    const altered = `${head}.${Buffer.from(JSON.stringify(payload)).toString('base64url')}.${body}`;
    for (const token of [forged, withSecret, altered, `${new UnsecuredJWT(payload).encode()}x`]) {
      expect((await read(token)).status).toBe(401);
    }
  });

  test.each<[string, Record<string, unknown>, string]>([
    ['no role', rights(['offline_access']), 'realm_access.roles'],
    ['roles that are no list', rights({ admin: true }), 'realm_access.roles'],
    ['no project, where projects are told', rights(['admin'], null), 'project'],
    ['an empty project', rights(['admin'], ''), 'project'],
    ['no name', { ...rights(['admin']), sub: '' }, 'sub'],
  ])('that says %s may do nothing', async (_what, given, claim) => {
    const answer = await read(await provider.signed(given));
    expect([answer.status, slugOf(answer)]).toEqual([403, 'token-without-rights']);
    expect(answer.body.detail).toContain(`"${claim}"`);
  });
});

describe('a provider that is away', () => {
  test('locks out nobody who has a token of the file', async () => {
    const away = ['--oidc-issuer', 'http://127.0.0.1:9', '--oidc-audience', 'stackledger'];
    const { get } = await startLedger([...away, '--tokens-file', tokensFile()]);
    const answer = await get('/v1/clock', bearer(await provider.signed(rights(['admin']))));
    expect([answer.status, slugOf(answer)]).toEqual([503, 'identity-provider-unreachable']);
    expect(answer.headers.get('retry-after')).toBe('30');
    expect((await get('/v1/clock', bearer('rita'))).status).toBe(200);
  });

  test('is enough of an answer to who may come in: without it and without tokens nobody logs in', async () => {
    const { post } = await startLedger(flags);
    const auth = { identity: { methods: ['password'], password: { user: { name: 'eve', password: 'eve' } } } };
    expect((await post('/identity/v3/auth/tokens', { auth })).status).toBe(401);
  });
});

describe('the keys of a provider', () => {
  const minute = 60_000;
  async function keySet() {
    let now = 0;
    let document: JSONWebKeySet | null = (await (await fetch(`${provider.issuer}/keys`)).json()) as JSONWebKeySet;
    let fetches = 0;
    const keys = new KeySet({
      fetchKeys: async () => {
        fetches += 1;
        if (!document) throw new Error('away');
        return document;
      },
      now: () => now,
      onFailure: () => {},
    });
    const find = (kid: string) => keys.find({ alg: 'ES256', kid }, { payload: '', signature: '' });
    return {
      find,
      fetches: () => fetches,
      pass: (milliseconds: number) => {
        now += milliseconds;
      },
      become: (next: JSONWebKeySet | null) => {
        document = next;
      },
    };
  }

  test('are fetched once, however many ask, and soon again for no key that nobody has', async () => {
    const { find, fetches, pass } = await keySet();
    await Promise.all([find('k1'), find('k1'), find('k1')]);
    for (let tries = 0; tries < 10; tries++) await expect(find('unknown')).rejects.toThrow('no applicable key');
    expect(fetches()).toBe(1);
    pass(minute);
    await expect(find('unknown')).rejects.toThrow('no applicable key');
    expect(fetches()).toBe(2);
  });

  test('go on counting while the provider is away, for a day', async () => {
    const { find, pass, become } = await keySet();
    await find('k1');
    become(null);
    pass(60 * minute);
    await find('k1');
    pass(24 * 60 * minute);
    await expect(find('k1')).rejects.toThrow(KeysUnreachable);
  });

  test('count no more once they are withdrawn', async () => {
    const { find, pass, become } = await keySet();
    await find('k1');
    become({ keys: [] });
    pass(11 * minute);
    await find('k1'); // the old ones serve while the new ones are on their way
    pass(minute);
    await expect(find('k1')).rejects.toThrow('no applicable key');
  });
});

test.each([
  [['--oidc-issuer', 'https://idp.example'], 'STACKLEDGER_OIDC_AUDIENCE'],
  [['--oidc-issuer', 'idp.example'], 'URL'],
  [['--oidc-issuer', 'http://idp.example', '--oidc-audience', 'a'], 'must be an https URL'],
  [['--oidc-jwks-url', 'http://10.0.0.7/keys'], 'must be an https URL'],
  [['--tls-cert-file', 'a.pem'], 'go together'],
])('%j is refused at the start', (args, reason) => {
  expect(() => loadConfig(args, {})).toThrow(reason);
});
