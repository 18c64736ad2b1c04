import { describe, expect, it, onTestFinished } from 'vitest';
import { ConnectionError, ProblemError } from '../../src/client/errors.ts';
import { defaultRetry, parseRetryAfter } from '../../src/client/retry.ts';
import { Transport } from '../../src/client/transport.ts';
import { type Answer, dropped, FakeServer, json, problem } from './fake-server.ts';

const quick = { ...defaultRetry, firstDelayMs: 1, maxDelayMs: 4 };

async function serving(...script: Answer[]) {
  const server = await FakeServer.playing(...script);
  onTestFinished(() => server.close());
  const transportWith = (options: object = {}) =>
    new Transport({ baseUrl: server.url, headers: {}, fetch, retry: quick, timeoutMs: 2_000, ...options });
  return { server, transport: transportWith(), transportWith };
}

const failure = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => expect.unreachable('it should have failed'),
    (error) => error,
  );

describe('a server that is overloaded, restarting, or behind a broken line', () => {
  it.each<[string, Answer]>([
    ['429', problem('too-many-commands', 429)],
    ['503', problem('not-writable', 503)],
    ['502 of a proxy', (response) => response.writeHead(502, { 'content-type': 'text/html' }).end('<h1>Bad Gateway')],
    ['a connection cut before the answer', dropped],
    [
      'a connection cut within the answer',
      (response) => {
        response.writeHead(200, { 'content-length': '100' }).write('{"ok":');
        setTimeout(() => response.socket?.destroy(), 5);
      },
    ],
  ])('%s is asked again until it answers', async (_, trouble) => {
    const { server, transport } = await serving(trouble, trouble, json({ ok: true }));
    expect(await transport.json({ path: '/v1/x', body: '{"a":1}' })).toEqual({ ok: true });
    expect(server.requests.map(({ body }) => body)).toEqual(['{"a":1}', '{"a":1}', '{"a":1}']);
  });

  it('is asked so many times and no more', async () => {
    const { server, transportWith } = await serving(problem('not-writable', 503));
    const error = await failure(transportWith({ retry: { ...quick, attempts: 3 } }).json({ path: '/v1/x' }));
    expect(error).toMatchObject({ name: 'ProblemError', slug: 'not-writable', status: 503 });
    expect(server.requests).toHaveLength(3);
  });

  it('is left alone as long as it asks to be', async () => {
    const { transport } = await serving(problem('not-writable', 503, {}, { 'retry-after': '1' }), json({}));
    const began = Date.now();
    await transport.json({ path: '/v1/x' });
    expect(Date.now() - began).toBeGreaterThanOrEqual(1_000);
  });

  it('that asks for more patience than there is, is given up at once', async () => {
    const { server, transport } = await serving(problem('not-writable', 503, {}, { 'retry-after': '3600' }));
    const error = await failure(transport.json({ path: '/v1/x' }));
    expect(error).toMatchObject({ slug: 'not-writable', retryAfterMs: 3_600_000 });
    expect(server.requests).toHaveLength(1);
  });

  it('that never answers is given up after the time limit, try by try', async () => {
    const { server, transportWith } = await serving(() => {});
    const transport = transportWith({ timeoutMs: 50, retry: { ...quick, attempts: 2 } });
    const error = await failure(transport.json({ path: '/v1/x' }));
    expect(error).toBeInstanceOf(ConnectionError);
    expect((error as Error).message).toBe(`${server.url}/v1/x did not answer within 50 ms.`);
    expect(server.requests).toHaveLength(2);
  });
});

describe('an answer that will not change', () => {
  it.each([400, 401, 403, 404, 409, 410, 412, 422, 500])('%i is not asked for again', async (status) => {
    const { server, transport } = await serving(problem('so-it-is', status, { allowed: ['BindPort'] }), json({}));
    const error = await failure(transport.json({ path: '/v1/x' }));
    expect(error).toBeInstanceOf(ProblemError);
    expect(error).toMatchObject({ status, slug: 'so-it-is', message: 'It is so-it-is.', allowed: ['BindPort'] });
    expect(server.requests).toHaveLength(1);
  });

  it('is a web page instead of a ledger', async () => {
    const { server, transport } = await serving((response) => response.end('<html>'), json({}));
    const error = await failure(transport.json({ path: '/v1/x' }));
    expect((error as Error).message).toMatch(/not JSON. Is it a Stackledger\?$/);
    expect(server.requests).toHaveLength(1);
  });

  it('is a refusal of something that is no Stackledger', async () => {
    const { transport, server } = await serving((response) => response.writeHead(404).end('nope'));
    const error = await failure(transport.json({ path: '/v1/x' }));
    expect(error).toMatchObject({
      status: 404,
      slug: 'about:blank',
      message: `${server.url}/v1/x answered 404 Not Found.`,
    });
  });
});

describe('a caller who gives up', () => {
  it('gets the reason of its own signal, and nothing is sent any more', async () => {
    const { server, transportWith } = await serving(problem('not-writable', 503));
    const transport = transportWith({ retry: { ...quick, firstDelayMs: 10_000, maxDelayMs: 10_000 } });
    const controller = new AbortController();
    setTimeout(() => controller.abort(new Error('enough')), 20);
    const error = await failure(transport.json({ path: '/v1/x', signal: controller.signal }));
    expect((error as Error).message).toBe('enough');
    expect(server.requests).toHaveLength(1);
  });
});

it('an address where nobody listens is named with the reason', async () => {
  const transport = new Transport({
    baseUrl: 'http://127.0.0.1:1/',
    headers: {},
    fetch,
    retry: { ...quick, attempts: 2 },
    timeoutMs: 1_000,
  });
  const error = await failure(transport.json({ path: '/v1/x' }));
  expect((error as Error).message).toMatch(/^No answer from http:\/\/127\.0\.0\.1:1\/v1\/x: .*(ECONNREFUSED|bad port)/);
});

describe('Retry-After', () => {
  const now = Date.parse('2026-03-01T12:00:00Z');
  it.each([
    [null, null],
    ['0', 0],
    ['7', 7_000],
    ['Sun, 01 Mar 2026 12:00:09 GMT', 9_000],
    ['Sun, 01 Mar 2026 11:59:00 GMT', 0],
    ['soon', null],
  ])('%s means %s ms', (header, expected) => {
    expect(parseRetryAfter(header, now)).toBe(expected);
  });
});
