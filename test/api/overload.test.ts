import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import { eventually, portId, sharedLedger, startLedger } from './support.ts';

const path = `/v1/ports/${portId}/commands`;
const sockets: Socket[] = [];

afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy();
});

/** A caller who writes bytes as it likes, and keeps what it is answered. */
async function caller(url: string, bytes: string | Buffer = '') {
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  sockets.push(socket);
  const got = { text: '', closed: false };
  socket.setEncoding('utf8').on('data', (chunk) => {
    got.text += chunk;
  });
  socket.on('error', () => {});
  socket.on('close', () => {
    got.closed = true;
  });
  await once(socket, 'connect');
  if (bytes.length > 0) socket.write(bytes);
  const statuses = (): number[] => [...got.text.matchAll(/HTTP\/1\.1 (\d{3})/g)].map(([, status]) => Number(status));
  return { socket, got, statuses };
}

const post = (target: string, type: string, headers = ''): string =>
  `POST ${target} HTTP/1.1\r\nHost: a\r\nContent-Type: ${type}\r\n${headers}\r\n`;
const get = (target: string): string => `GET ${target} HTTP/1.1\r\nHost: a\r\n\r\n`;

/** Answered only when the server has lost its patience. */
const patientRead = `/v1/ports/${portId}?min_position=0000000000009999`;

describe('a caller who asks for more than is answered at a time', () => {
  const shared = sharedLedger(['--max-reads-in-flight', '4', '--read-wait-ms', '700']);

  test('is turned away and told when to come back, also where all comes over one connection', async () => {
    const { url, get: read } = shared();
    const { got, statuses } = await caller(url, get(patientRead).repeat(10) + get('/livez'));
    const other = await read(patientRead);
    expect([other.status, other.headers.get('retry-after'), other.body.type]).toEqual([
      429,
      '1',
      '/problems/too-many-requests',
    ]);
    expect((await read('/livez')).status).toBe(200);
    expect((await read('/readyz')).status).toBeLessThan(504);
    expect((await read('/metrics')).status).toBe(200);
    await eventually(() => statuses().length).toBe(11);
    expect(statuses()).toEqual([503, 503, 503, 503, 429, 429, 429, 429, 429, 429, 200]);
    expect(got.text).toMatch(/retry-after: 1\r\n/i);
    expect((await read(`/v1/ports/${portId}`)).status).toBe(404);
  });

  test('is answered in order where it does not wait for answers', async () => {
    const { statuses } = await caller(shared().url, (get('/livez') + get('/nowhere')).repeat(500));
    await eventually(() => statuses().length).toBe(1_000);
    expect(statuses()).toEqual(Array.from({ length: 1_000 }, (_, index) => (index % 2 === 0 ? 200 : 404)));
  });
});

describe('a caller who takes its time', () => {
  const shared = sharedLedger(['--receive-ms', '300']);
  const drip = ({ socket }: { socket: Socket }, bytes: string): NodeJS.Timeout =>
    setInterval(() => socket.writable && socket.write(bytes), 50).unref();

  test('over the headers is given up', async () => {
    const slow = await caller(shared().url, 'GET /livez HTTP/1.1\r\nHost: a\r\n');
    const dripping = drip(slow, 'X-More: 1\r\n');
    await eventually(() => slow.got.closed).toBe(true);
    clearInterval(dripping);
    expect(slow.statuses()).toEqual([408]);
  });

  test.each([
    ['whose length is known', 'Content-Length: 100000\r\n', ' '],
    ['in pieces', 'Transfer-Encoding: chunked\r\n', '1\r\n \r\n'],
  ])('over a body %s is given up; others are served meanwhile', async (_what, headers, bytes) => {
    const { url, command } = shared();
    const slow = await caller(url, post(path, 'application/json', headers));
    const dripping = drip(slow, bytes);
    expect((await command('CreatePort')).status).toBeLessThan(410);
    await eventually(() => slow.got.closed).toBe(true);
    clearInterval(dripping);
    expect(slow.statuses()).toEqual([408]);
    expect(slow.got.text).toContain('/problems/request-timeout');
    expect(slow.got.text).toMatch(/connection: close/i);
  });

  test('between the lines of a bulk request may', async () => {
    const { url } = shared();
    const line = `{"kind":"port","id":"${portId}","type":"UpdatePort","data":{"name":"late"}}\n`;
    const bulk = await caller(url, post('/v1/commands', 'application/x-ndjson', 'Transfer-Encoding: chunked\r\n'));
    await new Promise((resolve) => setTimeout(resolve, 700));
    bulk.socket.write(`${line.length.toString(16)}\r\n${line}\r\n0\r\n\r\n`);
    await eventually(() => bulk.got.text).toContain('"line":1');
    expect(bulk.statuses()).toEqual([200]);
  });
});

describe('a body that is more than it says', () => {
  const shared = sharedLedger(['--max-body-bytes', '67108864', '--max-bulk-requests', '2']);
  const large = (bytes: number): string => post(path, 'application/json', `Content-Length: ${bytes}\r\n`);

  test('and never ends, in pieces, is refused as soon as it is too long', async () => {
    const { url } = await startLedger(['--max-body-bytes', '100000']);
    const endless = await caller(url, post(path, 'application/json', 'Transfer-Encoding: chunked\r\n'));
    const chunk = `4000\r\n${' '.repeat(0x4000)}\r\n`;
    for (let sent = 0; sent < 8; sent++) endless.socket.write(chunk);
    await eventually(() => endless.statuses()).toEqual([413]);
  });

  test('has room only as far as the process has: further large ones come later', async () => {
    const { url, command } = shared();
    const first = await caller(url, large(67_000_000));
    const second = await caller(url, large(67_000_000));
    await eventually(async () => {
      const third = await caller(url, large(1_000_000));
      await once(third.socket, 'data');
      return third.got.text;
    }).toMatch(/^HTTP\/1.1 429.*retry-after: 1\r\n/is);
    expect((await command('CreatePort')).status).toBe(200);
    first.socket.destroy();
    second.socket.destroy();
    await eventually(async () => (await command('UpdatePort', { description: 'x'.repeat(70_000) })).status).not.toBe(
      429,
    );
  });

  test.each(['gzip', 'br', 'deflate', 'gzip, gzip'])('when it is unpacked (%s) is not unpacked', async (encoding) => {
    const { ask } = shared();
    for (const [target, type] of [
      [path, 'application/json'],
      ['/v1/commands', 'application/x-ndjson'],
    ] as const) {
      const headers = { 'content-type': type, 'content-encoding': encoding };
      expect((await ask(target, { method: 'POST', headers, body: Buffer.alloc(1_000) })).status).toBe(415);
    }
  });

  test('of many lines has its place only where not too many of its like are open', async () => {
    const { url, ask } = shared();
    const open = post('/v1/commands', 'application/x-ndjson', 'Transfer-Encoding: chunked\r\n');
    const first = await caller(url, open);
    const second = await caller(url, open);
    await eventually(() => [...first.statuses(), ...second.statuses()]).toEqual([200, 200]);
    const again = () =>
      ask('/v1/commands', { method: 'POST', headers: { 'content-type': 'application/x-ndjson' }, body: '\n' });
    const third = await again();
    expect([third.status, third.headers.get('retry-after')]).toEqual([429, '1']);
    first.socket.destroy();
    await eventually(async () => (await again()).status).toBe(200);
  });
});

describe('a crowd of connections', () => {
  test('beyond what is allowed is sent away; idle ones cost nobody anything', async () => {
    const { url, get: read } = await startLedger(['--max-connections', '200']);
    const idle = await Promise.all(Array.from({ length: 190 }, () => caller(url)));
    const began = performance.now();
    expect((await read('/livez')).status).toBe(200);
    expect(performance.now() - began).toBeLessThan(2_000);
    const crowd = await Promise.all(Array.from({ length: 30 }, () => caller(url)));
    await eventually(() => crowd.filter(({ got }) => got.closed).length).toBeGreaterThan(15);
    for (const { socket } of [...idle, ...crowd]) socket.destroy();
    await eventually(() =>
      read('/livez')
        .then(({ status }) => status)
        .catch(() => null),
    ).toBe(200);
  });

  test('with thousands of headers each is refused', async () => {
    const { url, get: read } = await startLedger();
    const flood = Array.from({ length: 3_000 }, (_, index) => `X-${index}: y\r\n`).join('');
    const flooders = await Promise.all(
      Array.from({ length: 20 }, () => caller(url, `GET /livez HTTP/1.1\r\nHost: a\r\n${flood}\r\n`)),
    );
    await eventually(() => flooders.flatMap(({ statuses }) => statuses())).toEqual(flooders.map(() => 431));
    expect((await read('/livez')).status).toBe(200);
  });
});
