import { afterAll, afterEach, beforeAll, expect } from 'vitest';
import { loadConfig } from '../../src/config.ts';
import { type Stackledger, startStackledger } from '../../src/main.ts';
import { type EventStore, startPosition } from '../../src/store/event-store.ts';
import { openStore } from '../../src/store/open-store.ts';
import { emptyStore } from '../support/engine.ts';

export const portId = '6f3c9a52-6f0e-4f1c-8a41-5b7be7f7f6d4';
export const otherPortId = '7a4d0b63-7a1f-4a2d-9b52-6c8cf8a8a7e5';

/** What holds sooner or later, however busy the machine is. */
export const eventually = <T>(read: () => T) => expect.poll(read, { timeout: 25_000 });

const running: Pick<Stackledger, 'stop'>[] = [];

afterEach(async () => {
  await Promise.all(running.splice(0).map((ledger) => ledger.stop()));
});

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into whatever was answered
  readonly body: any;
}

/** A ledger that listens on a port of its own, on an empty store whose time stands still. Stopped after the test. */
export async function startLedger(flags: readonly string[] = [], wrap?: (store: EventStore) => EventStore) {
  const ledger = await launch(flags, wrap);
  running.push(ledger);
  return ledger;
}

/** One such ledger for all tests of a group, for those that leave it as they found it. */
export function sharedLedger(
  flags: readonly string[] = [],
  prepare: (ledger: RunningLedger) => Promise<unknown> = async () => {},
): () => RunningLedger {
  let ledger: RunningLedger;
  beforeAll(async () => {
    ledger = await launch(flags);
    await prepare(ledger);
  });
  afterAll(() => ledger.stop());
  return () => ledger;
}

type RunningLedger = Awaited<ReturnType<typeof launch>>;

async function launch(flags: readonly string[], wrap: (store: EventStore) => EventStore = (it) => it) {
  const place = await emptyStore();
  const always = ['--port', '0', '--store', place.url, '--clock', 'manual', '--log-level', 'silent'];
  let opened: EventStore | undefined;
  const ledger = await startStackledger(loadConfig([...always, ...flags], {}), async (...how) => {
    opened = wrap(await openStore(...how));
    return opened;
  });
  const stop = async (): Promise<void> => {
    await ledger.stop();
    place.remove();
  };
  return { ...clientOf(ledger.url), url: ledger.url, store: opened!, stop };
}

export function clientOf(url: string) {
  const ask = async (path: string, init: RequestInit = {}): Promise<Answer> => {
    const response = await fetch(`${url}${path}`, init);
    const text = await response.text();
    const isJson =
      /json\b/.test(response.headers.get('content-type') ?? '') &&
      !/ndjson/.test(response.headers.get('content-type')!);
    return { status: response.status, headers: response.headers, text, body: isJson && text ? JSON.parse(text) : null };
  };
  const post = (path: string, body: unknown, headers: Record<string, string> = {}): Promise<Answer> =>
    ask(path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: typeof body === 'string' || body instanceof Uint8Array ? body : JSON.stringify(body),
    });
  return {
    get: (path: string, headers: Record<string, string> = {}) => ask(path, { headers }),
    ask,
    post,
    /** Gives a command to a port. */
    command: (type: string, data: object = {}, headers: Record<string, string> = {}, id = portId) =>
      post(`/v1/ports/${id}/commands`, { type, data }, headers),
    /** Sends lines to the bulk path; the verdicts, parsed. */
    bulk: async (lines: readonly unknown[], query = '', headers: Record<string, string> = {}) => {
      const body = lines.map((line) => (typeof line === 'string' ? line : JSON.stringify(line))).join('\n');
      const response = await fetch(`${url}/v1/commands${query}`, {
        method: 'POST',
        headers: { 'content-type': 'application/x-ndjson', ...headers },
        body,
      });
      const text = await response.text();
      return text
        .split('\n')
        .filter((line) => line !== '')
        .map((line) => JSON.parse(line));
    },
  };
}

/** How many events a ledger holds. */
export async function eventCount(store: EventStore): Promise<number> {
  let count = 0;
  for await (const _ of store.readAll()) count += 1;
  return count;
}

/** Position of the nth event, in whatever way the engine counts. */
export async function positionOf(store: EventStore, n: number): Promise<string> {
  let last = startPosition;
  for await (const { position } of store.readAll({ limit: n })) last = position;
  return last;
}

/** A position that no ledger of a test comes to. */
export const farPosition = '0090000000000000';

export const slugOf = ({ body }: Answer): string => body.type.replace('/problems/', '');

export interface Message {
  readonly id: string;
  readonly event: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into whatever was sent
  readonly data: any;
}

/** The messages of an event stream, until the test has seen enough or the server ends it. */
export async function* messages(url: string, headers: Record<string, string> = {}): AsyncGenerator<Message> {
  yield* await connected(url, headers);
}

/** The same, once the server has begun to answer. */
export async function connected(url: string, headers: Record<string, string> = {}): Promise<AsyncGenerator<Message>> {
  const leaving = new AbortController();
  const response = await fetch(url, { headers: { accept: 'text/event-stream', ...headers }, signal: leaving.signal });
  if (!response.ok) throw new Error(`${response.status}: ${await response.text()}`);
  return messagesOf(response, leaving);
}

async function* messagesOf(response: Response, leaving: AbortController): AsyncGenerator<Message> {
  try {
    let rest = '';
    for await (const chunk of response.body!.pipeThrough(new TextDecoderStream())) {
      const blocks = (rest + chunk).split('\n\n');
      rest = blocks.pop()!;
      for (const block of blocks) {
        const fields = Object.fromEntries(block.split('\n').map((line) => line.split(/: (.*)/s) as [string, string]));
        if (fields.event) yield { id: fields.id!, event: fields.event, data: JSON.parse(fields.data!) };
      }
    }
  } finally {
    leaving.abort();
  }
}

/** The next `count` messages. */
export async function take(stream: AsyncGenerator<Message>, count: number): Promise<Message[]> {
  const taken: Message[] = [];
  for await (const message of stream) {
    taken.push(message);
    if (taken.length === count) break;
  }
  return taken;
}
