import { connect } from 'node:net';
import { describe, expect, test } from 'vitest';
import { collect } from '../support/ledger.ts';
import {
  eventually,
  farPosition,
  messages,
  otherPortId,
  portId,
  positionOf,
  sharedLedger,
  slugOf,
  startLedger,
  take,
} from './support.ts';

const shared = sharedLedger(['--read-wait-ms', '10']);
const idOf = (n: number): string => `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`;

/** `count` ports, each created. */
async function ledgerOf(count: number, flags: readonly string[] = []) {
  const ledger = await startLedger(flags);
  const lines = Array.from({ length: count }, (_, n) => ({ kind: 'port', id: idOf(n), type: 'CreatePort' }));
  await ledger.bulk(lines);
  return ledger;
}

describe('the ledger as pages', () => {
  test('holds every event in order, with everything that is kept of it', async () => {
    const { command, get, store } = await startLedger();
    await command('CreatePort', { name: 'a' });
    await command('UpdatePort', { name: 'b' });
    const { body } = await get('/v1/events');
    expect(body.events.map(({ type }: { type: string }) => type)).toEqual(['PortCreated', 'PortUpdated']);
    expect(Object.keys(body.events[0])).toEqual([
      'id',
      'stream',
      'resource',
      'revision',
      'position',
      'type',
      'v',
      'time',
      'data',
      'metadata',
    ]);
    expect(body.events[1]).toMatchObject({
      stream: `port-${portId}`,
      resource: { kind: 'port', id: portId },
      revision: 1,
      position: await positionOf(store, 2),
    });
    expect(body.next).toBe(await positionOf(store, 2));
  });

  test('is read page by page without loss or repeat', async () => {
    const { get, store } = await ledgerOf(25);
    const seen: string[] = [];
    for (let after = '0000000000000000'; ; ) {
      const { body } = await get(`/v1/events?limit=10&after=${after}`);
      if (body.events.length === 0) break;
      seen.push(...body.events.map(({ position }: { position: string }) => position));
      after = body.next;
    }
    expect(seen).toEqual((await collect(store.readAll())).map(({ position }) => position));
  });

  test('can be narrowed to kinds, types and one resource; next moves past what was left out', async () => {
    const { command, get, store } = await startLedger();
    await command('CreatePort', {});
    await command('CreatePort', {}, {}, otherPortId);
    await command('UpdatePort', { name: 'b' });
    const typesOf = async (query: string) =>
      (await get(`/v1/events?${query}`)).body.events.map(({ type }: { type: string }) => type);
    expect(await typesOf(`id=${portId}`)).toEqual(['PortCreated', 'PortUpdated']);
    expect(await typesOf(`kind=port&id=${otherPortId}`)).toEqual(['PortCreated']);
    expect(await typesOf('type=PortUpdated&type=PortDeleted')).toEqual(['PortUpdated']);
    expect(await typesOf('kind=port&type=PortCreated')).toEqual(['PortCreated', 'PortCreated']);
    expect(await typesOf('kind=server')).toEqual([]);
    expect((await get('/v1/events?kind=server&kind=node')).body.next).toBe(await positionOf(store, 3));
  });

  test.each([
    'after=five',
    'after=12345678901234567',
    'kind=volume',
    'limit=0',
    'type=',
    'color=red',
    'limit=1&limit=2',
  ])('cannot be asked for with %s', async (query) => {
    const { get } = await startLedger();
    const refused = await get(`/v1/events?${query}`);
    expect([refused.status, slugOf(refused)]).toEqual([400, 'invalid-request']);
  });

  test('after a position that never was is not taken for the end', async () => {
    const { get } = shared();
    const ahead = await get(`/v1/events?after=${farPosition}`);
    expect([ahead.status, slugOf(ahead)]).toEqual([503, 'position-not-reached']);
  });
});

describe('the ledger as a stream', () => {
  test('sends what is recorded, says that it has caught up, and goes on', async () => {
    const { command, url, store } = await startLedger();
    await command('CreatePort');
    const created = await positionOf(store, 1);
    const stream = messages(`${url}/v1/events`);
    const caughtUp = await take(stream, 2).then(async (first) => {
      expect(first[0]).toMatchObject({
        id: created,
        event: 'PortCreated',
        data: { type: 'PortCreated', resource: { kind: 'port', id: portId }, metadata: { commandType: 'CreatePort' } },
      });
      return first[1];
    });
    expect(caughtUp).toMatchObject({
      id: created,
      event: 'caught-up',
      data: { position: created },
    });

    const live = messages(`${url}/v1/events?after=${created}`);
    expect((await live.next()).value).toMatchObject({ event: 'caught-up' });
    await command('DeletePort');
    expect((await live.next()).value).toMatchObject({ id: await positionOf(store, 2), event: 'PortDeleted' });
    await live.return(undefined);
  });

  test('resumes after the last message seen, while others keep writing', async () => {
    const { url, bulk, command, store } = await ledgerOf(50);
    const seen: string[] = [];
    const writing = bulk(
      Array.from({ length: 150 }, (_, n) => ({
        kind: 'port',
        id: idOf(n % 50),
        type: 'UpdatePort',
        data: { name: `${n}` },
      })),
    );
    while (seen.length < 200) {
      const headers: Record<string, string> = seen.length > 0 ? { 'last-event-id': seen.at(-1)! } : {};
      // What the query says counts for the first connection only.
      const some = await take(
        messages(`${url}/v1/events?after=0000000000000000`, headers),
        Math.min(17, 200 - seen.length),
      );
      seen.push(...some.filter(({ event }) => event !== 'caught-up').map(({ id }) => id));
    }
    await writing;
    expect(seen.slice(0, 200)).toEqual((await collect(store.readAll())).map(({ position }) => position));
    expect((await command('CreatePort')).status).toBe(200);
  });

  test('can be narrowed like a page', async () => {
    const { command, url } = await startLedger();
    await command('CreatePort');
    await command('UpdatePort', { name: 'b' });
    const [first] = await take(messages(`${url}/v1/events?type=PortUpdated`), 1);
    expect(first).toMatchObject({ event: 'PortUpdated' });
  });

  test('keeps the line alive with comments', async () => {
    const { url } = await startLedger(['--event-stream-ping-ms', '20']);
    const response = await fetch(`${url}/v1/events`, { headers: { accept: 'text/event-stream' } });
    let text = '';
    for await (const chunk of response.body!.pipeThrough(new TextDecoderStream())) {
      text += chunk;
      if (text.split('\n').filter((line) => line.startsWith(':')).length >= 3) break;
    }
    expect(response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
    expect(response.headers.get('cache-control')).toContain('no-store');
  });

  test('ends when the server stops', async () => {
    const { url, stop } = await startLedger();
    const stream = messages(`${url}/v1/events`);
    expect((await stream.next()).value).toMatchObject({ event: 'caught-up' });
    const [end] = await Promise.all([stream.next(), stop()]);
    expect(end.done).toBe(true);
  });

  test.each([
    ['last-event-id', { 'last-event-id': 'x' }, '', 400],
    ['limit', {}, '?limit=5', 400],
    ['a position ahead of the ledger', { 'last-event-id': farPosition }, '', 503],
  ])('refuses a bad %s before it begins', async (_what, headers: Record<string, string>, query, status) => {
    const { get } = shared();
    const refused = await get(`/v1/events${query}`, { accept: 'text/event-stream', ...headers });
    expect(refused.status).toBe(status);
    expect(refused.headers.get('content-type')).toContain('problem+json');
  });

  test('counts its readers', async () => {
    const { url, get } = await startLedger();
    const stream = messages(`${url}/v1/events`);
    await stream.next();
    expect((await get('/metrics')).text).toContain('stackledger_event_stream_readers 1');
    await stream.return(undefined);
    await eventually(async () => (await get('/metrics')).text).toContain('stackledger_event_stream_readers 0');
  });

  test('answers HEAD without becoming a stream', async () => {
    const { ask } = await startLedger();
    const head = await ask('/v1/events', { method: 'HEAD', headers: { accept: 'text/event-stream' } });
    expect([head.status, head.headers.get('content-type')]).toEqual([200, 'text/event-stream; charset=utf-8']);
  });
});

describe('a reader that stops reading', () => {
  test('is told where it stands, let go, and can resume there', async () => {
    const { url, store, get } = await startLedger(['--event-stream-lag-ms', '200']);
    const data = JSON.stringify({ text: 'x'.repeat(200_000) });
    const positions: string[] = [];
    for (let n = 0; n < 100; n++) {
      const event = { id: idOf(n), type: 'Imported', v: 1, time: '2026-01-01T00:00:00.000Z', data, metadata: '{}' };
      const { position } = await store.append({ stream: `port-${idOf(n)}`, expectedRevision: -1, events: [event] });
      positions.push(position);
    }

    const socket = connect(Number(new URL(url).port), '127.0.0.1');
    socket.write('GET /v1/events HTTP/1.1\r\nHost: a\r\nConnection: close\r\nAccept: text/event-stream\r\n\r\n');
    await new Promise((resolve) => socket.once('readable', resolve));
    await eventually(async () => (await get('/metrics')).text).toContain('stackledger_event_stream_readers 0');
    let text = '';
    for await (const chunk of socket.setEncoding('utf8')) text += chunk;

    const last = /id: (\d{16})\nevent: lagging\ndata: (.*)\n/.exec(text);
    expect(last, 'the final word').not.toBeNull();
    expect(JSON.parse(last![2]!)).toEqual({ position: last![1] });
    const seen = [...text.matchAll(/^id: (\d{16})\r?\nevent: Imported/gm)].map(([, id]) => id);
    expect(seen.at(-1)).toBe(last![1]);
    expect(seen.length).toBeLessThan(100);
    const [next] = await take(messages(`${url}/v1/events`, { 'last-event-id': last![1]! }), 1);
    expect(next!.id).toBe(positions[positions.indexOf(last![1]!) + 1]);
  });
});
