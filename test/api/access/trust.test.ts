import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdirSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { request } from 'node:https';
import { join } from 'node:path';
import type { TLSSocket } from 'node:tls';
import { afterAll, describe, expect, test, vi } from 'vitest';
import { Audit, type RefusedAttempt } from '../../../src/api/access/audit.ts';
import { AuditFile } from '../../../src/api/access/audit-file.ts';
import { hashPassword } from '../../../src/api/access/passwords.ts';
import { loadConfig } from '../../../src/config.ts';
import { startStackledger } from '../../../src/main.ts';
import { connected, eventually, portId, startLedger } from '../support.ts';
import { startProvider } from './idp.ts';
import { bearer, tokensFile, writeFile } from './people.ts';

const unexpected = (what: unknown): void => {
  throw new Error('not expected', { cause: what });
};

const provider = await startProvider();
afterAll(provider.stop);

function certificate(name: string): { cert: string; key: string } {
  const [cert, key] = [writeFile('cert.pem', ''), writeFile('key.pem', '')];
  const how = ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2'];
  const what = ['-subj', `/CN=${name}`, '-addext', 'subjectAltName=IP:127.0.0.1', '-keyout', key, '-out', cert];
  execFileSync('openssl', [...how, ...what], { stdio: 'pipe' });
  return { cert, key };
}

/** Asks over TLS, trusting one certificate; who the server says it is, and its answer. */
const askOver = (url: string, trusted: string): Promise<{ subject: string; status: number; strict: boolean }> =>
  new Promise((resolve, reject) => {
    const sent = request(`${url}/livez`, { ca: readFileSync(trusted), agent: false }, (response) => {
      const subject = String((response.socket as TLSSocket).getPeerCertificate().subject.CN);
      const strict = response.headers['strict-transport-security'] !== undefined;
      response.resume().on('end', () => resolve({ subject, status: response.statusCode!, strict }));
    });
    sent.on('error', reject).end();
  });

describe('a ledger with a certificate', () => {
  const first = certificate('first');
  const second = certificate('second');
  const start = (cert: string, key: string) =>
    startStackledger(
      loadConfig(
        ['--port', '0', '--store', 'memory:', '--log-level', 'silent', '--tls-cert-file', cert, '--tls-key-file', key],
        {},
      ),
    );

  test('speaks HTTPS and nothing else, and takes a new certificate without a restart', async () => {
    const [cert, key] = [
      writeFile('cert.pem', readFileSync(first.cert)),
      writeFile('key.pem', readFileSync(first.key)),
    ];
    const ledger = await start(cert, key);
    try {
      expect(ledger.url).toMatch(/^https:/);
      expect(await askOver(ledger.url, first.cert)).toEqual({ subject: 'first', status: 200, strict: false });
      await expect(fetch(ledger.url.replace('https', 'http'))).rejects.toThrow();
      await expect(askOver(ledger.url, second.cert)).rejects.toThrow(/self-signed/);

      copyFileSync(second.cert, cert);
      await expect(ledger.reread()).rejects.toThrow(/key values mismatch/);
      expect((await askOver(ledger.url, first.cert)).subject).toBe('first');
      copyFileSync(second.key, key);
      await ledger.reread();
      expect((await askOver(ledger.url, second.cert)).subject).toBe('second');
    } finally {
      await ledger.stop();
    }
  });

  test.each([
    ['that is missing', '/nowhere/cert.pem', first.key, 'no such file'],
    ['of another key', first.cert, second.key, 'key values mismatch'],
    ['that is none', writeFile('cert.pem', 'none'), first.key, 'PEM'],
  ])('%s does not start', async (_what, cert, key, reason) => {
    await expect(start(cert, key)).rejects.toMatchObject({ lines: [expect.stringMatching(reason)] });
    await expect(start(cert, key)).rejects.toMatchObject({
      lines: [expect.stringMatching('STACKLEDGER_TLS_CERT_FILE')],
    });
  });
});

test('a stream does not outlive the token it was opened with', async () => {
  const oidc = ['--oidc-issuer', provider.issuer, '--oidc-audience', 'stackledger'];
  const { url, get } = await startLedger(oidc);
  await eventually(async () => (await get('/readyz')).status).toBe(200);
  const forgiven = 30; // seconds by which clocks may differ
  const token = await provider.signed({ roles: ['reader'], exp: Math.floor(Date.now() / 1000) - forgiven + 4 });
  const streams = await Promise.all(
    ['/v1/events', '/v1/ports'].map((path) => connected(`${url}${path}`, bearer(token))),
  );
  for (const stream of streams) for await (const _ of stream);
  await expect(connected(`${url}/v1/events`, bearer(token))).rejects.toThrow('401');
});

test('a tokens file that is changed counts at once, with what is open; one that is broken does not', async () => {
  const logged: string[] = [];
  const write = vi.spyOn(process.stderr, 'write').mockImplementation((line) => logged.push(String(line)) > 0);
  const path = tokensFile({ users: [{ name: 'olaf', password: await hashPassword(password), roles: ['operator'] }] });
  const file = JSON.parse(readFileSync(path, 'utf8'));
  const { url, get, post } = await startLedger(['--tokens-file', path, '--log-level', 'error']);
  await eventually(async () => (await get('/readyz')).status).toBe(200);
  const statusFor = async (name: string) => (await get('/v1/ports', bearer(name))).status;
  const identity = { methods: ['password'], password: { user: { name: 'olaf', password } } };
  const logIn = () => post('/identity/v3/auth/tokens', { auth: { identity } });
  const issued = (await logIn()).headers.get('x-subject-token')!;
  const listed = async () => (await get('/network/v2.0/ports', { 'x-auth-token': issued })).status;
  expect([await statusFor('rita'), await listed()]).toEqual([200, 200]);

  const open = (name: string) => connected(`${url}/v1/events`, bearer(name));
  const ends = await Promise.all(['rita', 'ovs', 'olga'].map(open));
  const [gone, other, stays] = ends.map(async (stream) => {
    for await (const _ of stream);
  });
  const olga = { over: false };
  void stays!.then(() => Object.assign(olga, { over: true }));
  const rightsOf = { ovs: ['reader'] } as Record<string, string[]>;
  const tokens = file.tokens
    .filter(({ name }: { name: string }) => name !== 'rita')
    .map((token: { name: string; roles: string[] }) => ({ ...token, roles: rightsOf[token.name] ?? token.roles }));
  writeFileSync(path, JSON.stringify({ tokens }));
  await Promise.all([gone, other]);
  expect(olga.over).toBe(false);
  expect([await statusFor('rita'), await statusFor('ovs'), await listed(), (await logIn()).status]).toEqual([
    401, 200, 401, 401,
  ]);

  writeFileSync(path, '{"tokens": [');
  await eventually(() => logged.join('')).toContain('the tokens file is of no use; the one before still counts');
  expect([await statusFor('ovs'), olga.over]).toEqual([200, false]);
  writeFileSync(path, JSON.stringify(file));
  await eventually(() => statusFor('rita')).toBe(200);
  write.mockRestore();
});

const password = 'correct horse battery';
const secrets = { adminPass: 'adminPass-4711', query: 'query-4711', body: 'body-4711', unknown: 'unknown-4711' };

describe('what is refused', () => {
  const users = [{ name: 'olaf', roles: ['operator'] }];

  test('is written down with who, what and why, and no secret is, there or anywhere', async () => {
    const logged: string[] = [];
    const write = vi.spyOn(process.stderr, 'write').mockImplementation((line) => logged.push(String(line)) > 0);
    const file = writeFile('audit.jsonl', '');
    const stored = await Promise.all(users.map(async (user) => ({ ...user, password: await hashPassword(password) })));
    const oidc = ['--oidc-issuer', provider.issuer, '--oidc-audience', 'stackledger'];
    const tokens = ['--tokens-file', tokensFile({ users: stored, signingKey: 'signing-key-4711-signing-key-4711' })];
    const ledger = await startLedger([...oidc, ...tokens, '--audit-file', file, '--log-level', 'trace']);
    const { post, get, bulk, store } = ledger;
    const jwt = await provider.signed({ roles: ['reader'] });
    const logIn = (given: string) =>
      post('/identity/v3/auth/tokens', {
        auth: { identity: { methods: ['password'], password: { user: { name: 'olaf', password: given } } } },
      });
    const path = `/v1/ports/${portId}/commands`;

    const issued = (await logIn(password)).headers.get('x-subject-token')!;
    await logIn(secrets.body);
    await post(path, { type: 'CreatePort' }, { ...bearer('olga'), 'x-request-id': 'first' });
    await post(path, { type: 'CreatePort', data: { name: 'x' } }, bearer('olga'));
    await post(path, { type: 'DeletePort' }, bearer(jwt));
    await post(path, { type: 'DeletePort' }, bearer('paul'));
    await post(path, { type: 'Nonsense', data: { password: secrets.body } }, bearer('olga'));
    await get(`/metrics?token=${secrets.query}`, bearer(secrets.unknown));
    await bulk([{ kind: 'port', id: portId, type: 'DeletePort' }], '', bearer('ovs'));
    const made = await post(
      '/compute/v2.1/servers',
      { server: { name: 's', flavorRef: '1', adminPass: secrets.adminPass } },
      { 'x-auth-token': issued },
    );
    const server = made.body.server.id;
    const change = { changePassword: { adminPass: secrets.adminPass } };
    await post(`/compute/v2.1/servers/${server}/action`, change, { 'x-auth-token': issued });
    await get(`/v1/ports/${portId}`, bearer('paul'));

    const lines = () =>
      readFileSync(file, 'utf8')
        .split('\n')
        .filter((line) => line !== '')
        .map((line) => JSON.parse(line));
    await eventually(() => lines().length).toBe(8);
    const told = lines().map(({ actor, method, command, status, problem }) => [
      actor?.id ?? null,
      method,
      command?.type ?? null,
      status,
      problem,
    ]);
    expect(told).toEqual([
      [null, 'POST', null, 401, 'Unauthorized'],
      ['olga', 'POST', 'CreatePort', 409, 'port-exists'],
      ['jane', 'POST', null, 403, 'role-missing'],
      ['paul', 'POST', 'DeletePort', 404, 'port-not-found'],
      ['olga', 'POST', null, 400, 'unknown-command'],
      [null, 'GET', null, 401, 'unauthenticated'],
      ['ovs', 'POST', 'DeletePort', 403, 'role-missing'],
      ['olaf', 'POST', 'ChangePassword', 409, 'conflictingRequest'],
    ]);
    expect(lines()[1]).toMatchObject({ path, from: '127.0.0.1', command: { kind: 'port', id: portId } });

    const events: string[] = [];
    for await (const event of store.readAll()) events.push(JSON.stringify(event));
    await ledger.stop();
    write.mockRestore();
    expect(logged.some((line) => line.includes('"answered"'))).toBe(true);
    const everything = [...logged, ...events, readFileSync(file, 'utf8')].join('\n');
    for (const secret of [password, jwt, issued, 'signing-key-4711', ...Object.values(secrets)]) {
      expect(everything, secret).not.toContain(secret);
    }
  });

  test('in a flood is counted rather than written', () => {
    let now = 0;
    const written: (RefusedAttempt & { suppressed?: number })[] = [];
    const audit = new Audit(
      (attempt) => written.push(attempt),
      () => now,
    );
    const request = { id: 'r', ip: '::1', method: 'POST', url: '/v1/ports/x/commands?token=secret', attempted: null };
    const refuse = () => audit.ended(request as never, 401, 'unauthenticated');
    for (let n = 0; n < 10_000; n++) refuse();
    expect(written).toHaveLength(500);
    now = 1000;
    refuse();
    expect(written.at(-1)).toMatchObject({ suppressed: 9500, path: '/v1/ports/x/commands' });
  });

  test('is kept in two files of bounded size, and counted where the disk takes it no more', async () => {
    const failures: unknown[] = [];
    const path = writeFile('audit.jsonl', '');
    truncateSync(path, 64 * 1_048_576);
    const file = await AuditFile.open(path, (error) => failures.push(error), unexpected);
    file.write({ n: 1 });
    await file.close();
    expect([statSync(`${path}.1`).size, readFileSync(path, 'utf8')]).toEqual([
      64 * 1_048_576,
      expect.stringMatching('"n":1'),
    ]);

    rmSync(path);
    mkdirSync(path);
    file.write({ n: 2 });
    await file.close();
    rmSync(path, { recursive: true });
    file.write({ n: 3 });
    await file.close();
    expect(failures).toHaveLength(1);
    expect(JSON.parse(readFileSync(path, 'utf8'))).toMatchObject({ n: 3, dropped: 1 });
  });

  test('after one that broke off begins on a line of its own', async () => {
    const half = '{"time":"2026-11-29T10:00:00.000Z","req';
    const path = writeFile('audit-half.jsonl', half);
    const halfLines: string[] = [];
    const file = await AuditFile.open(path, unexpected, (found) => halfLines.push(found));
    file.write({ n: 1 });
    file.write({ n: 2 });
    await file.close();
    expect(halfLines).toEqual([path]);
    const lines = readFileSync(path, 'utf8').split('\n');
    expect(lines).toEqual([half, expect.stringMatching('"n":1'), expect.stringMatching('"n":2'), '']);
  });

  test('needs a place to be written to', async () => {
    const config = loadConfig(
      ['--port', '0', '--store', 'memory:', '--audit-file', join('/nowhere', 'audit.jsonl')],
      {},
    );
    await expect(startStackledger(config)).rejects.toMatchObject({
      lines: [expect.stringContaining('STACKLEDGER_AUDIT_FILE')],
    });
  });
});
