import { connect } from 'node:net';
import { describe, expect, test } from 'vitest';
import { portId, sharedLedger, slugOf } from './support.ts';

const path = `/v1/ports/${portId}/commands`;
const otherPath = '/v1/ports/7a4d0b63-7a1f-4a2d-9b52-6c8cf8a8a7e5/commands';
const shared = sharedLedger();
const create = (name: string) => `{"type":"CreatePort","data":{"name":${name}}}`;

/** What is sent, and the status and the problem it must be answered with. */
const bodies: readonly [what: string, body: string | Uint8Array, status: number, slug: string][] = [
  ['nothing', '', 400, 'invalid-json'],
  ['only spaces', '  ', 400, 'invalid-json'],
  ['half an object', '{"type":"CreatePort"', 400, 'invalid-json'],
  ['a trailing comma', '{"type":"CreatePort",}', 400, 'invalid-json'],
  ['single quotes', "{'type':'CreatePort'}", 400, 'invalid-json'],
  ['two documents', '{"type":"CreatePort"}{"type":"CreatePort"}', 400, 'invalid-json'],
  ['NaN', create('NaN'), 400, 'invalid-json'],
  ['a comment', '/* a */ {"type":"CreatePort"}', 400, 'invalid-json'],
  ['a byte order mark', `\ufeff${create('"a"')}`, 400, 'invalid-json'],
  ['a line break in a string', create('"a\nb"'), 400, 'invalid-json'],
  ['a null byte between tokens', `{"type":\0"CreatePort"}`, 400, 'invalid-json'],
  ['a null byte in a string', create('"a\0b"'), 400, 'invalid-json'],
  ['an escaped null character', create('"a\\u0000b"'), 400, 'invalid-json'],
  ['half of a surrogate pair', create('"a\\ud83d"'), 400, 'invalid-json'],
  ['the other half', create('"\\ude00"'), 400, 'invalid-json'],
  ['an escape that is none', create('"\\x41"'), 400, 'invalid-json'],
  ['bytes that are not UTF-8', Buffer.from(create('"a\xff"'), 'latin1'), 400, 'invalid-json'],
  [
    'an overlong encoding',
    Buffer.concat([Buffer.from('{"type":"'), Buffer.from([0xc0, 0xaf]), Buffer.from('"}')]),
    400,
    'invalid-json',
  ],
  ['UTF-16', Buffer.from(create('"a"'), 'utf16le'), 400, 'invalid-json'],
  ['a number no double holds', create('1e400'), 400, 'invalid-json'],
  ['an integer that would be rounded', create('9007199254740993'), 400, 'invalid-json'],
  ['a key twice', '{"type":"CreatePort","type":"DeletePort"}', 400, 'invalid-json'],
  ['a key twice, once escaped', '{"type":"CreatePort","data":{"name":"a","n\\u0061me":"b"}}', 400, 'invalid-json'],
  ['__proto__', '{"type":"CreatePort","data":{"__proto__":{"name":"a"}}}', 400, 'invalid-json'],
  ['__proto__ at the top', '{"type":"CreatePort","__proto__":{"data":{}}}', 400, 'invalid-json'],
  ['constructor', '{"type":"CreatePort","data":{"constructor":{"prototype":{"admin":true}}}}', 400, 'invalid-request'],
  ['deep arrays', create('['.repeat(5_000) + ']'.repeat(5_000)), 400, 'invalid-json'],
  ['very deep arrays that never end', '['.repeat(900_000), 400, 'invalid-json'],
  ['very deep objects', `${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}`, 400, 'invalid-json'],
  ['null', 'null', 400, 'invalid-request'],
  ['a list', '[]', 400, 'invalid-request'],
  ['a string', '"CreatePort"', 400, 'invalid-request'],
  ['a number', '7', 400, 'invalid-request'],
  ['no type', '{"data":{}}', 400, 'invalid-request'],
  ['a type that is a list', '{"type":["CreatePort"]}', 400, 'invalid-request'],
  ['a type in the wrong case', '{"type":"createport"}', 400, 'unknown-command'],
  ['data that is null', '{"type":"CreatePort","data":null}', 400, 'invalid-request'],
  ['data that is a list', '{"type":"CreatePort","data":[]}', 400, 'invalid-request'],
  ['a field nobody knows', '{"type":"CreatePort","dta":{}}', 400, 'invalid-request'],
  ['a name that is too long', create(`"${'n'.repeat(10_000)}"`), 400, 'invalid-request'],
  ['more than a mebibyte', create(`"${'n'.repeat(1_100_000)}"`), 413, 'body-too-large'],
];

describe('a body that is not a command', () => {
  test.each(bodies)('%s', async (_what, body, status, slug) => {
    const { post, store } = shared();
    const head = await store.head();
    const refused = await post(path, body);
    expect([refused.status, slugOf(refused)]).toEqual([status, slug]);
    expect(refused.headers.get('content-type')).toBe('application/problem+json; charset=utf-8');
    expect(refused.body.detail.length).toBeLessThan(2_000);
    expect(await store.head()).toBe(head);
  });

  test('is told where it goes wrong', async () => {
    const { post } = shared();
    const broken = await post(path, '{"type":"CreatePort",\n "data":{"name":web}}');
    expect(broken.body).toMatchObject({ position: 38, line: 2, column: 17 });
    const twice = await post(path, '{"type":"CreatePort","type":"CreatePort"}');
    expect(twice.body.detail).toContain('"type" is there twice');
    const surrogate = await post(path, '{"type":"UpdatePort","data":{"a/b":["ok","\\udead"]}}');
    expect(surrogate.body.errors).toMatchObject([{ pointer: '/data/a~1b/1' }]);
  });

  test.each([
    ['no content type', {}],
    ['a form', { 'content-type': 'application/x-www-form-urlencoded' }],
    ['plain text', { 'content-type': 'text/plain' }],
    ['bulk lines', { 'content-type': 'application/x-ndjson' }],
    ['something compressed', { 'content-type': 'application/json', 'content-encoding': 'gzip' }],
  ])('%s', async (_what, headers: Record<string, string>) => {
    const { ask, store } = shared();
    const head = await store.head();
    const refused = await ask(path, { method: 'POST', headers, body: Buffer.from('{"type":"CreatePort"}') });
    expect([refused.status, slugOf(refused)]).toEqual([415, 'unsupported-media-type']);
    expect(await store.head()).toBe(head);
  });

  test('with a character set, or another spelling of JSON, is read', async () => {
    const { ask } = shared();
    const headers = { 'content-type': 'Application/JSON; charset=utf-8' };
    expect((await ask(otherPath, { method: 'POST', headers, body: '{"type":"CreatePort"}' })).status).toBe(200);
  });
});

describe('a path that leads nowhere', () => {
  test.each([
    ['GET', '/v1/prots', 404, 'unknown-path'],
    ['GET', '/v1/ports/', 400, 'invalid-request'],
    ['GET', `/v1/ports/${portId}/commands/1`, 404, 'unknown-path'],
    ['GET', '/v2/events', 404, 'unknown-path'],
    ['GET', '//v1/events', 404, 'unknown-path'],
    ['GET', '/v1/ports/%E0%A4%A', 400, 'invalid-url'],
    ['GET', '/v1/ports/%', 400, 'invalid-url'],
    ['GET', '/v1/ports/x', 400, 'invalid-request'],
    ['GET', `/v1/ports/${portId}%00`, 400, 'invalid-request'],
    ['GET', `/v1/ports/${'x'.repeat(1_000)}`, 400, 'invalid-request'],
    ['GET', `/v1/ports/${portId.toUpperCase()}`, 400, 'invalid-request'],
    ['GET', `/v1/ports/${portId}?at=`, 400, 'invalid-request'],
    ['GET', `/v1/ports/${portId}?colour=red`, 400, 'invalid-request'],
    ['PUT', `/v1/ports/${portId}`, 405, 'method-not-allowed'],
    ['DELETE', `/v1/ports/${portId}`, 405, 'method-not-allowed'],
    ['GET', path, 405, 'method-not-allowed'],
    ['GET', '/v1/commands', 405, 'method-not-allowed'],
    ['POST', '/v1/events', 405, 'method-not-allowed'],
  ])('%s %s', async (method, url, status, slug) => {
    const { ask } = shared();
    const refused = await ask(url, { method });
    expect([refused.status, slugOf(refused)]).toEqual([status, slug]);
  });

  test('a wrong method is told the right ones', async () => {
    const { ask } = shared();
    expect((await ask(path, { method: 'DELETE' })).headers.get('allow')).toBe('POST, OPTIONS');
    const options = await ask(`/v1/ports/${portId}`, { method: 'OPTIONS' });
    expect([options.status, options.headers.get('allow')]).toEqual([204, 'GET, HEAD, OPTIONS']);
  });

  test('an id in upper case is told how it is written', async () => {
    const { get } = shared();
    const refused = await get(`/v1/ports/${portId.toUpperCase()}`);
    expect(refused.body.errors).toMatchObject([{ in: 'path', pointer: '/id' }]);
    expect(refused.body.detail).toContain(portId);
  });

  test('a form nobody offers', async () => {
    const { get } = shared();
    const refused = await get('/v1/events', { accept: 'text/csv, application/json;q=0' });
    expect([refused.status, slugOf(refused)]).toEqual([406, 'not-acceptable']);
    expect(refused.body.available).toEqual(['application/json', 'text/event-stream']);
  });
});

describe('bytes that are not HTTP', () => {
  test.each([
    ['noise', 'hello there\r\n\r\n', 400, 'invalid-request'],
    ['a length that is none', `POST ${path} HTTP/1.1\r\nHost: a\r\nContent-Length: x\r\n\r\n`, 400, 'invalid-request'],
    [
      'headers without end',
      `GET / HTTP/1.1\r\nHost: a\r\nX-Long: ${'x'.repeat(20_000)}\r\n\r\n`,
      431,
      'headers-too-large',
    ],
    ['no host', 'GET /livez HTTP/1.1\r\n\r\n', 400, 'invalid-request'],
  ])('%s', async (_what, bytes, status, slug) => {
    const { url, get } = shared();
    const answer = await exchange(url, bytes);
    expect(answer).toContain(`HTTP/1.1 ${status}`);
    if (answer.includes('problem+json')) expect(answer).toContain(`/problems/${slug}`);
    expect((await get('/livez')).status).toBe(200);
  });
});

async function exchange(url: string, bytes: string): Promise<string> {
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  socket.write(bytes);
  let answer = '';
  for await (const chunk of socket.setEncoding('utf8')) answer += chunk;
  return answer;
}
