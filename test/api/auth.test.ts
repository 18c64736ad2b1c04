import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { hashToken } from '../../src/api/access/tokens.ts';
import { loadConfig } from '../../src/config.ts';
import { startStackledger } from '../../src/main.ts';
import { eventually, portId, sharedLedger, slugOf, startLedger } from './support.ts';

const path = `/v1/ports/${portId}`;
const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

function tokensFile(content: unknown): string {
  const file = join(mkdtempSync(join(tmpdir(), 'stackledger-')), 'tokens.json');
  writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content));
  return file;
}

const token = (name: string, roles: readonly string[], more: object = {}) => ({
  name,
  sha256: hashToken(name),
  roles,
  ...more,
});

const tokenFlags = (): string[] => [
  '--tokens-file',
  tokensFile({
    tokens: [
      token('rita', ['reader']),
      token('ovs-17', ['agent']),
      token('olga', ['reader', 'operator']),
      token('ada', ['admin']),
      token('old', ['admin'], { expiresAt: '2026-01-01T00:00:00Z' }),
      token('next-century', ['reader'], { expiresAt: '2126-01-01T00:00:00+01:00' }),
    ],
  }),
];

describe('a ledger with tokens', () => {
  const shared = sharedLedger(tokenFlags());

  test.each([
    ['no token', {}, 'Bearer realm="stackledger"'],
    ['another scheme', { authorization: 'Basic cml0YTpyaXRh' }, 'Bearer realm="stackledger"'],
    ['an unknown token', bearer('nobody'), 'Bearer realm="stackledger", error="invalid_token"'],
    ['a token whose time is over', bearer('old'), 'Bearer realm="stackledger", error="invalid_token"'],
    ['the hash in place of the token', bearer(hashToken('rita')), 'Bearer realm="stackledger", error="invalid_token"'],
  ])('asks for one: %s', async (_what, headers: Record<string, string>, challenge) => {
    const { get, command, store } = shared();
    const head = await store.head();
    for (const answer of [
      await get(path, headers),
      await command('CreatePort', {}, headers),
      await get('/metrics', headers),
    ]) {
      expect([answer.status, slugOf(answer)]).toEqual([401, 'unauthenticated']);
      expect(answer.headers.get('www-authenticate')).toBe(challenge);
    }
    expect(await store.head()).toBe(head);
  });

  test('leaves open what everybody may see', async () => {
    const { get } = shared();
    await eventually(async () => (await get('/readyz')).status).toBe(200);
    for (const open of ['/livez', '/', '/openapi.json', '/problems', '/problems/role-missing']) {
      expect((await get(open)).status, open).toBe(200);
    }
  });

  test.each([
    ['rita', 'GET', 200],
    ['next-century', 'GET', 200],
    ['ovs-17', 'GET', 200],
    ['rita', 'CreatePort', 403],
    ['rita', 'ProvisioningComplete', 403],
    ['ovs-17', 'CreatePort', 403],
    ['ovs-17', 'ProvisioningComplete', 200],
    ['olga', 'ProvisioningComplete', 200],
    ['olga', 'UpdatePort', 200],
    ['olga', 'SetPortStatus', 403],
    ['ada', 'SetPortStatus', 200],
    ['olga', 'clock', 403],
    ['ada', 'clock', 200],
  ])('lets %s %s: %i', async (name, what, status) => {
    const { get, post, command } = shared();
    await command('CreatePort', {}, bearer('ada'));
    const data: Record<string, object> = {
      ProvisioningComplete: { entity: 'L2' },
      SetPortStatus: { status: 'ERROR' },
    };
    const answer =
      what === 'GET'
        ? await get(path, bearer(name))
        : what === 'clock'
          ? await post('/v1/clock', { advance: 'PT1S' }, bearer(name))
          : await command(what, data[what] ?? {}, bearer(name));
    expect(answer.status).toBe(status);
    if (status === 403) expect(slugOf(answer)).toBe('role-missing');
  });

  test('says which role is missing', async () => {
    const { command } = shared();
    const refused = await command('CreatePort', {}, bearer('ovs-17'));
    expect(refused.body).toMatchObject({ needed: 'operator', role: 'agent' });
    expect(refused.body.detail).toContain('operator');
  });

  test('records who the token belongs to, whatever else the request claims', async () => {
    const { command, get } = await startLedger(tokenFlags());
    await command('CreatePort', {}, { ...bearer('olga'), 'x-actor': 'somebody else' });
    await command('AddProvisioningComponent', { entity: 'L2' }, bearer('ada'));
    await command('ProvisioningComplete', { entity: 'L2' }, bearer('ovs-17'));
    const { events } = (await get('/v1/events', bearer('rita'))).body;
    const actors = events.map(({ metadata }: { metadata: { actor: object } }) => metadata.actor);
    expect(actors[0]).toEqual({ type: 'user', id: 'olga' });
    expect(actors.at(-1)).toEqual({ type: 'agent', id: 'ovs-17' });
  });

  test('judges each line of a bulk request', async () => {
    const { bulk, command } = await startLedger(tokenFlags());
    await command('CreatePort', {}, bearer('ada'));
    const lines = [
      { kind: 'port', id: portId, type: 'ProvisioningComplete', data: { entity: 'L2' } },
      { kind: 'port', id: portId, type: 'DeletePort' },
    ];
    expect((await bulk(lines, '', bearer('ovs-17'))).map(({ status }) => status)).toEqual([200, 403]);
  });
});

describe('a tokens file', () => {
  const start = (file: string) =>
    startStackledger(loadConfig(['--port', '0', '--store', 'memory:', '--tokens-file', file], {}));

  test.each([
    ['that is missing', '/nowhere/tokens.json', 'no such file'],
    ['that is not JSON', tokensFile('{'), 'is not JSON'],
    ['without tokens', tokensFile({ tokens: [] }), 'tokens: must hold at least one token'],
    [
      'with a token in the open',
      tokensFile({ tokens: [{ ...token('a', ['reader']), sha256: 'secret' }] }),
      'tokens.0.sha256: must be 64',
    ],
    ['with a role nobody knows', tokensFile({ tokens: [token('a', ['boss'])] }), 'tokens.0.roles.0'],
    ['with a field nobody knows', tokensFile({ tokens: [token('a', ['reader'], { rights: 1 })] }), 'rights'],
  ])('%s stops the start with a line that says so', async (_what, file, line) => {
    await expect(start(file)).rejects.toMatchObject({ lines: [expect.stringContaining(line)] });
    await expect(start(file)).rejects.toMatchObject({ lines: [expect.stringContaining(file)] });
  });
});
