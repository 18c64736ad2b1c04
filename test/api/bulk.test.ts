import { connect } from 'node:net';
import { describe, expect, test } from 'vitest';
import { flaky } from '../support/flaky-store.ts';
import { eventCount, eventually, positionOf, slugOf, startLedger } from './support.ts';

const idOf = (n: number): string => `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`;
const create = (n: number) => ({ kind: 'port', id: idOf(n), type: 'CreatePort' });

describe('many commands in one request', () => {
  test('are answered a line each, in order, with what each changed', async () => {
    const { bulk, store } = await startLedger();
    const verdicts = await bulk([create(1), create(2), { ...create(1), type: 'UpdatePort', data: { name: 'x' } }]);
    expect(verdicts).toMatchObject([
      { line: 1, status: 200, resource: { kind: 'port', id: idOf(1) }, revision: 0, events: [{ type: 'PortCreated' }] },
      {
        line: 2,
        status: 200,
        resource: { kind: 'port', id: idOf(2) },
        revision: 0,
        position: await positionOf(store, 2),
      },
      { line: 3, status: 200, resource: { kind: 'port', id: idOf(1) }, revision: 1, events: [{ type: 'PortUpdated' }] },
    ]);
    expect(verdicts[0]).not.toHaveProperty('state');
  });

  test('come with the state where one asks for it', async () => {
    const { bulk } = await startLedger();
    expect((await bulk([create(1)], '?state=true'))[0].state).toMatchObject({ id: idOf(1), revision: 0 });
    expect((await bulk([create(2)], '?state=false'))[0]).not.toHaveProperty('state');
  });

  test('do not suffer from a bad neighbour', async () => {
    const { bulk } = await startLedger(['--max-body-bytes', '2000']);
    const bad: [line: unknown, status: number, slug: string][] = [
      ['{"kind":', 400, 'invalid-json'],
      ['null', 400, 'invalid-request'],
      ['[]', 400, 'invalid-request'],
      [{ kind: 'volume', id: idOf(1), type: 'CreatePort' }, 400, 'invalid-request'],
      [{ kind: 'constructor', id: idOf(1), type: 'CreatePort' }, 400, 'invalid-request'],
      [{ id: idOf(1), type: 'CreatePort' }, 400, 'invalid-request'],
      [{ kind: 'port', id: 'ABC', type: 'CreatePort' }, 400, 'invalid-request'],
      [{ kind: 'port', id: idOf(1), type: 'PaintPort' }, 400, 'unknown-command'],
      [{ kind: 'port', id: idOf(1), type: 'CreatePort', data: { colour: 1 } }, 400, 'invalid-request'],
      [{ ...create(1), extra: 1 }, 400, 'invalid-request'],
      [{ ...create(1), key: '' }, 400, 'invalid-request'],
      [{ ...create(1), ifMatch: '"0"' }, 400, 'invalid-request'],
      [{ ...create(1), data: { name: 'n'.repeat(3000) } }, 413, 'body-too-large'],
      [{ kind: 'port', id: idOf(1), type: 'UpdatePort', data: { name: 'x' } }, 404, 'port-not-found'],
    ];
    const lines = bad.flatMap(([line], n) => [create(100 + n), line]);
    const verdicts = await bulk(lines);
    expect(verdicts).toHaveLength(lines.length);
    for (const [n, [line, status, slug]] of bad.entries()) {
      expect(verdicts[2 * n], JSON.stringify(line)).toMatchObject({ line: 2 * n + 1, status: 200 });
      expect(verdicts[2 * n + 1], JSON.stringify(line)).toMatchObject({
        line: 2 * n + 2,
        status,
        type: `/problems/${slug}`,
      });
    }
  });

  test('may have blank lines, Windows line ends, and no line end at all', async () => {
    const { bulk } = await startLedger();
    const verdicts = await bulk(['', `${JSON.stringify(create(1))}\r`, '  \t', '', JSON.stringify(create(2))]);
    expect(verdicts).toMatchObject([
      { line: 2, status: 200 },
      { line: 5, status: 200 },
    ]);
    expect(await bulk([])).toEqual([]);
  });

  test('keep their order on one resource, also where keys make some of them slower', async () => {
    const { bulk, get } = await startLedger();
    const renames = Array.from({ length: 300 }, (_, n) => ({
      ...create(1),
      type: 'UpdatePort',
      data: { name: `name ${n}` },
      ...(n % 3 === 0 && { key: `k${n}` }),
    }));
    const verdicts = await bulk([create(1), ...renames]);
    expect(verdicts.map(({ revision }) => revision)).toEqual(Array.from({ length: 301 }, (_, n) => n));
    const names = (await get(`/v1/ports/${idOf(1)}/history?limit=1000`)).body.events.slice(1);
    expect(names.map((entry: { data: { changes: { name: string } } }) => entry.data.changes.name)).toEqual(
      renames.map(({ data }) => data.name),
    );
  });

  test('are met with keys and revisions like single ones', async () => {
    const { bulk, store } = await startLedger();
    await bulk([create(1)]);
    const rename = { ...create(1), type: 'UpdatePort', data: { name: 'x' }, key: 'k' };
    const verdicts = await bulk([
      rename,
      rename,
      { ...rename, data: { name: 'y' } },
      { ...create(1), type: 'DeletePort', ifMatch: 0 },
      { ...create(1), type: 'DeletePort', ifMatch: 1 },
    ]);
    expect(verdicts.map(({ status }) => status)).toEqual([200, 200, 422, 412, 200]);
    expect(verdicts[1]).toEqual({ ...verdicts[0], line: 2 });
    expect(await eventCount(store)).toBe(3);
  });

  test('may be more than are worked on at a time', async () => {
    const { bulk, store, get } = await startLedger(['--bulk-window', '4', '--max-in-flight', '3']);
    const verdicts = await bulk(Array.from({ length: 500 }, (_, n) => create(n)));
    expect(verdicts.map(({ line, status }) => [line, status])).toEqual(
      Array.from({ length: 500 }, (_, n) => [n + 1, 200]),
    );
    expect(await eventCount(store)).toBe(500);
    expect((await get('/metrics')).text).toContain('stackledger_commands_in_flight 0');
  });

  test('are read where lines are torn apart on the way', async () => {
    const { url } = await startLedger();
    const name = 'é😀'.repeat(40);
    const bytes = Buffer.from(
      [create(1), { ...create(2), data: { name } }].map((line) => JSON.stringify(line)).join('\n'),
    );
    const body = new ReadableStream({
      async start(controller) {
        for (let at = 0; at < bytes.length; at += 7) {
          controller.enqueue(bytes.subarray(at, at + 7));
          if (at % 70 === 0) await new Promise((resolve) => setTimeout(resolve, 1));
        }
        controller.close();
      },
    });
    const headers = { 'content-type': 'application/x-ndjson' };
    const response = await fetch(`${url}/v1/commands?state=true`, {
      method: 'POST',
      headers,
      body,
      duplex: 'half',
    } as RequestInit);
    expect(response.headers.get('content-type')).toBe('application/x-ndjson; charset=utf-8');
    const [, second] = (await response.text())
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(second.state.name).toBe(name);
  });

  test('take what they have in common from the headers, and nothing else', async () => {
    const { bulk, get, ask } = await startLedger();
    await bulk([create(1)], '', { 'x-actor': 'importer', 'x-correlation-id': 'import-7' });
    expect((await get('/v1/events')).body.events[0].metadata).toMatchObject({
      actor: { id: 'importer' },
      $correlationId: 'import-7',
    });
    const headers = { 'content-type': 'application/x-ndjson', 'idempotency-key': 'k' };
    const refused = await ask('/v1/commands', { method: 'POST', headers, body: JSON.stringify(create(2)) });
    expect([refused.status, slugOf(refused)]).toEqual([400, 'invalid-request']);
  });

  test('are NDJSON and nothing else', async () => {
    const { post } = await startLedger();
    const refused = await post('/v1/commands', create(1));
    expect([refused.status, slugOf(refused)]).toEqual([415, 'unsupported-media-type']);
  });
});

describe('a caller of many commands', () => {
  const open = (url: string) => {
    const socket = connect(Number(new URL(url).port), '127.0.0.1');
    socket.write(
      'POST /v1/commands HTTP/1.1\r\nHost: a\r\nContent-Type: application/x-ndjson\r\nTransfer-Encoding: chunked\r\n\r\n',
    );
    const send = (text: string) => socket.write(`${text.length.toString(16)}\r\n${text}\r\n`);
    return { socket, send };
  };

  test('sees verdicts while it is still sending', async () => {
    const { url } = await startLedger();
    const { socket, send } = open(url);
    let answer = '';
    socket.setEncoding('utf8').on('data', (chunk) => {
      answer += chunk;
    });
    send(`${JSON.stringify(create(1))}\n`);
    await eventually(() => answer).toContain('"line":1,"status":200');
    send(`${JSON.stringify(create(2))}\n`);
    await eventually(() => answer).toContain('"line":2,"status":200');
    socket.destroy();
  });

  test('does no harm by going away in the middle', async () => {
    const { url, get, store } = await startLedger();
    for (let n = 0; n < 5; n++) {
      const { socket, send } = open(url);
      send(`${JSON.stringify(create(n))}\n{"kind":"port","id":`);
      await eventually(() => eventCount(store)).toBe(n + 1);
      socket.destroy();
    }
    expect((await get('/livez')).status).toBe(200);
    await eventually(async () => (await get('/metrics')).text).toContain('stackledger_commands_in_flight 0');
  });

  test('that never reads is held back, then let go', async () => {
    const { url, get, store } = await startLedger(['--event-stream-lag-ms', '300']);
    const { socket, send } = open(url);
    socket.pause();
    const line = (n: number) => `${JSON.stringify({ ...create(n), data: { name: 'n'.repeat(255) } })}\n`;
    let n = 0;
    const closed = new Promise<void>((resolve) => socket.on('close', () => resolve()).on('error', () => {}));
    const sending = setInterval(() => {
      for (let batch = 0; batch < 200 && !socket.destroyed; batch++) send(line(n++));
    }, 1);
    await closed;
    clearInterval(sending);
    const taken = await eventCount(store);
    expect(taken).toBeGreaterThan(0);
    expect(taken).toBeLessThan(n);
    expect((await get('/livez')).status).toBe(200);
  });

  test('is told by a server that stops which line was the first that was not carried out', async () => {
    let disk: ReturnType<typeof flaky> | undefined;
    const { url, stop } = await startLedger([], (store) => {
      disk = flaky(store);
      return disk.store;
    });
    const { socket, send } = open(url);
    let answer = '';
    socket.setEncoding('utf8').on('data', (chunk) => {
      answer += chunk;
    });
    disk!.hold();
    send(`${JSON.stringify(create(1))}\n`);
    await eventually(() => disk!.waiting).toBe(1);
    const stopped = stop();
    send(`${JSON.stringify(create(2))}\n`);
    disk!.release();
    await stopped;
    const verdicts = answer
      .split('\r\n')
      .filter((line) => line.startsWith('{'))
      .flatMap((chunk) => chunk.trim().split('\n'))
      .map((line) => JSON.parse(line));
    expect(verdicts).toMatchObject([
      { line: 1, status: 200 },
      { line: 2, status: 503, type: '/problems/shutting-down' },
    ]);
    expect(answer.endsWith('0\r\n\r\n')).toBe(true);
  });
});
