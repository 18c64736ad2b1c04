import { request as httpRequest, type IncomingMessage } from 'node:http';
import jsonPatch from 'fast-json-patch';
import { describe, expect, test } from 'vitest';
import { nthId } from '../support/ledger.ts';
import {
  connected,
  eventually,
  type Message,
  messages,
  portId,
  sharedLedger,
  slugOf,
  startLedger,
  take,
} from './support.ts';

const { applyPatch } = jsonPatch;

const shared = sharedLedger(['--event-stream-ping-ms', '100', '--read-wait-ms', '30000']);
let lastId = 0;

/** A port of its own for each test. */
async function newPort(data: object = {}): Promise<string> {
  lastId += 1;
  const id = nthId(lastId);
  expect((await shared().command('CreatePort', data, {}, id)).status).toBe(200);
  return id;
}

/** The document of a stream after each of its messages, as a client puts it together. */
// biome-ignore lint/suspicious/noExplicitAny: tests look into whatever was sent
async function* editions(stream: AsyncGenerator<Message>): AsyncGenerator<any> {
  // biome-ignore lint/suspicious/noExplicitAny: as above
  let document: any;
  for await (const { event, data } of stream) {
    document = event === 'snapshot' ? data : applyPatch(structuredClone(document), data, true).newDocument;
    yield document;
  }
}

const next = async <T>(stream: AsyncGenerator<T>): Promise<T> => (await stream.next()).value;

describe('a subscriber of a port', () => {
  test('gets the state, then each change as a patch whose id is its position', async () => {
    const id = await newPort();
    const { url, command, get } = shared();
    const stream = await connected(`${url}/v1/ports/${id}`);
    const snapshot = await next(stream);
    expect(snapshot).toMatchObject({ event: 'snapshot', data: (await get(`/v1/ports/${id}`)).body });
    const { position } = (await command('UpdatePort', { name: 'web' }, {}, id)).body;
    const patch = await next(stream);
    expect(patch).toMatchObject({ id: position, event: 'patch' });
    const patched = applyPatch(snapshot.data, patch.data, true).newDocument;
    expect(patched).toEqual((await get(`/v1/ports/${id}`)).body);
    await stream.return(undefined);
  });

  test('comes again and gets what it has not seen, and that alone', async () => {
    const id = await newPort();
    const { url, command } = shared();
    const stayed = await connected(`${url}/v1/ports/${id}`);
    const seen = { 'last-event-id': (await next(stayed)).id };
    await newPort(); // somebody else's affair
    const again = await connected(`${url}/v1/ports/${id}`, seen);
    await command('UpdatePort', { name: 'later' }, {}, id);
    expect(await next(again)).toMatchObject({ event: 'patch' });
    await Promise.all([stayed.return(undefined), again.return(undefined)]);
    expect(await take(messages(`${url}/v1/ports/${id}`, seen), 1)).toMatchObject([
      { event: 'snapshot', data: { name: 'later' } },
    ]);
  });

  test('sees it deleted; afterwards there is nothing to subscribe to', async () => {
    const id = await newPort();
    const { url, command, get } = shared();
    const stream = editions(await connected(`${url}/v1/ports/${id}`));
    expect(await next(stream)).not.toHaveProperty('deletedAt');
    await command('DeletePort', {}, {}, id);
    expect(await next(stream)).toHaveProperty('deletedAt');
    await stream.return(undefined);
    const late = await get(`/v1/ports/${id}`, { accept: 'text/event-stream' });
    expect([late.status, slugOf(late)]).toEqual([410, 'port-deleted']);
  });

  test('is refused where there is no such port, and where the question cannot be', async () => {
    const accept = { accept: 'text/event-stream' };
    const { get } = shared();
    const unknown = await get(`/v1/ports/${nthId(999_999)}`, accept);
    expect([unknown.status, slugOf(unknown)]).toEqual([404, 'port-not-found']);
    for (const [path, pointer, headers] of [
      [`/v1/ports/${await newPort()}?at=0`, '/at', {}],
      ['/v1/ports?marker=nonsense', '/marker', {}],
      ['/v1/ports', '/last-event-id', { 'last-event-id': 'abc' }],
    ] as const) {
      const { status, body } = await get(path, { ...accept, ...headers });
      expect([status, body.errors[0].pointer]).toEqual([400, pointer]);
    }
  });
});

describe('a subscriber of a list', () => {
  test('sees ports come and go as its filter says', async () => {
    const deviceId = 'server-1';
    const { url, command, get } = shared();
    const stream = editions(await connected(`${url}/v1/ports?device=${deviceId}`));
    const names = async () => (await next(stream)).items.map(({ name }: { name: string }) => name);
    expect(await names()).toEqual([]);
    const first = await newPort({ name: 'a', deviceId });
    expect(await names()).toEqual(['a']);
    await newPort({ name: 'elsewhere' });
    await newPort({ name: 'b', deviceId });
    expect(await names()).toEqual(['a', 'b']);
    await command('DeletePort', {}, {}, first);
    const last = await next(stream);
    expect(last.items).toMatchObject([{ name: 'b' }]);
    expect((await get(`/v1/ports?device=${deviceId}`)).body).toMatchObject(last);
    await stream.return(undefined);
  });

  test('is kept alive by comments, and its head can be asked for', async () => {
    const response = await fetch(`${shared().url}/v1/ports?host=nowhere`, { headers: { accept: 'text/event-stream' } });
    const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
    let text = '';
    while (!text.includes(': still here')) text += (await reader.read()).value ?? '';
    expect(text).toMatch(
      /^retry: 2000\n\nid: \d{16}\nevent: snapshot\ndata: \{"items":\[\],"next":null\}\n\n: still here/,
    );
    await reader.cancel();
    const head = await fetch(`${shared().url}/v1/ports`, { method: 'HEAD', headers: { accept: 'text/event-stream' } });
    expect([head.status, head.headers.get('content-type')]).toEqual([200, 'text/event-stream; charset=utf-8']);
  });
});

describe('a subscriber that stops reading', () => {
  test('is told where it stands and let go, while others go on', async () => {
    const ledger = await startLedger(['--event-stream-lag-ms', '200', '--read-wait-ms', '30000']);
    await ledger.command('CreatePort', { name: 'template' });
    for await (const { dataText, metadataText, type, v, time } of ledger.store.readStream(`port-${portId}`)) {
      const data = dataText.replace('template', 'x'.repeat(200_000));
      for (let n = 1; n <= 30; n++) {
        const event = { id: nthId(n), type, v, time, data, metadata: metadataText };
        await ledger.store.append({ stream: `port-${nthId(n)}`, expectedRevision: -1, events: [event] });
      }
    }
    const head = await ledger.store.head();
    const stuck = httpRequest(`${ledger.url}/v1/ports?min_position=${head}`, {
      headers: { accept: 'text/event-stream' },
    });
    const response = await new Promise<IncomingMessage>((resolve) => {
      stuck.on('response', resolve).end();
    });
    response.pause();
    const other = await connected(`${ledger.url}/v1/ports/${portId}`);
    await next(other);
    await ledger.command('UpdatePort', { name: 'on' });
    await eventually(async () => (await ledger.get('/metrics')).text).toContain('event_stream_readers 1');
    let text = '';
    response.on('data', (chunk) => (text += String(chunk))).resume();
    await new Promise((resolve) => response.on('close', resolve));
    const [last] = text.trimEnd().split('\n\n').slice(-1);
    expect(await next(other)).toMatchObject({ event: 'patch' });
    await other.return(undefined);
    expect(last!.slice(0, 200)).toMatch(/^id: (\d{16})\nevent: lagging\ndata: \{"position":"\1"\}$/);
  });
});
