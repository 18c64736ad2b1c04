import type { ServerResponse } from 'node:http';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { ClientOptions, SubscribeOptions } from '../../src/client/index.ts';
import { createClient, ProblemError } from '../../src/client/index.ts';
import { type Answer, dropped, FakeServer, problem } from './fake-server.ts';

const position = (n: number): string => String(n).padStart(16, '0');

const event = (n: number): string =>
  `id: ${position(n)}\nevent: PortUpdated\ndata: ${JSON.stringify({ position: position(n), type: 'PortUpdated' })}\n\n`;
const control = (name: string, n: number): string =>
  `id: ${position(n)}\nevent: ${name}\ndata: {"position":"${position(n)}"}\n\n`;

/** A connection that says this and then ends in some way. */
const stream =
  (text: string, end: (response: ServerResponse) => unknown): Answer =>
  (response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write(text);
    setTimeout(() => end(response), 10);
  };
const ends = (response: ServerResponse): unknown => response.end();
const breaks = (response: ServerResponse): unknown => response.socket?.destroy();
const staysOpen = (): void => {};

async function following(script: readonly Answer[], options: Partial<ClientOptions> = {}) {
  const server = await FakeServer.playing(...script);
  onTestFinished(() => server.close());
  const retry = { attempts: 3, firstDelayMs: 1, maxDelayMs: 4 };
  const client = createClient({ baseUrl: server.url, retry, ...options });
  const controller = new AbortController();
  onTestFinished(() => controller.abort());

  /** Reads until so many events came. */
  const take = async (count: number, subscribe: SubscribeOptions = {}): Promise<number[]> => {
    const seen: number[] = [];
    for await (const { position } of client.events({ signal: controller.signal, ...subscribe })) {
      if (seen.push(Number(position)) === count) break;
    }
    return seen;
  };
  return { server, client, take, controller };
}

describe('a reader of the ledger whose connection is lost', () => {
  it.each<[string, Answer]>([
    ['ended by a server that stops', stream(event(1) + event(2), ends)],
    ['broken', stream(event(1) + event(2), breaks)],
    ['broken in the middle of an event', stream(event(1) + event(2) + event(3).slice(0, 30), breaks)],
    ['closed since the reader lagged', stream(event(1) + event(2) + control('lagging', 2), ends)],
  ])('(%s) goes on after the last event it saw', async (_, first) => {
    const { server, take } = await following([first, stream(event(3) + event(4), staysOpen)]);
    expect(await take(4)).toEqual([1, 2, 3, 4]);
    expect(server.requests[1]!.url.searchParams.get('after')).toBe(position(2));
  });

  it('is not given again what a server or a proxy repeats', async () => {
    const { take } = await following([
      stream(event(1) + event(2), breaks),
      stream(event(1) + event(2) + event(3), staysOpen),
    ]);
    expect(await take(3)).toEqual([1, 2, 3]);
  });

  it('goes on after what was looked through, though nothing of it was for this reader', async () => {
    const { server, take } = await following([
      stream(event(1) + control('caught-up', 900), breaks),
      stream(event(901), staysOpen),
    ]);
    expect(await take(2, { kind: ['port', 'node'], type: 'PortUpdated' })).toEqual([1, 901]);
    const { searchParams } = server.requests[1]!.url;
    expect(searchParams.get('after')).toBe(position(900));
    expect(searchParams.getAll('kind')).toEqual(['port', 'node']);
    expect(searchParams.getAll('type')).toEqual(['PortUpdated']);
  });

  it('waits out a server that is away for longer than single requests would', async () => {
    const away = Array.from({ length: 10 }, () => dropped);
    const { server, take } = await following([stream(event(1), breaks), ...away, stream(event(2), staysOpen)]);
    expect(await take(2)).toEqual([1, 2]);
    expect(server.requests).toHaveLength(12);
  });

  it('is told, and when the next try comes', async () => {
    const lost: string[] = [];
    const { take } = await following([
      stream(event(1), breaks),
      problem('shutting-down', 503),
      stream(event(2), staysOpen),
    ]);
    await take(2, { onDisconnect: (error, retryInMs) => lost.push(`${error.name} ${retryInMs < 10}`) });
    expect(lost).toEqual(['ConnectionError true', 'ProblemError true']);
  });
});

describe('a connection that is dead without anybody having said so', () => {
  it('is noticed by its silence and made again', async () => {
    const { server, take } = await following([stream(event(1), staysOpen), stream(event(2), staysOpen)], {
      silenceMs: 60,
    });
    expect(await take(2)).toEqual([1, 2]);
    expect(server.requests).toHaveLength(2);
  });

  it('is not what a quiet ledger is taken for: comments are signs of life', async () => {
    const quiet: Answer = (response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      let comments = 0;
      const timer = setInterval(() => {
        response.write(++comments < 10 ? ': still here\n\n' : event(1));
        if (comments === 10) clearInterval(timer);
      }, 20);
    };
    const { server, take } = await following([quiet], { silenceMs: 100 });
    expect(await take(1)).toEqual([1]);
    expect(server.requests).toHaveLength(1);
  });
});

describe('a subscription that cannot be', () => {
  it('fails at once where the server refuses it', async () => {
    const { server, take } = await following([problem('unauthenticated', 401)]);
    await expect(take(1)).rejects.toBeInstanceOf(ProblemError);
    expect(server.requests).toHaveLength(1);
  });

  it('fails, too, where the token is taken away while the reader is connected', async () => {
    const { take } = await following([stream(event(1), breaks), problem('unauthenticated', 401)]);
    await expect(take(2)).rejects.toMatchObject({ slug: 'unauthenticated' });
  });

  it('fails after a few tries where nobody ever answered', async () => {
    const { server, take } = await following([dropped]);
    await expect(take(1)).rejects.toMatchObject({ name: 'ConnectionError' });
    expect(server.requests).toHaveLength(3);
  });
});

describe('a reader who has had enough', () => {
  it('ends without an error when its signal aborts, also while nothing comes', async () => {
    const { take, controller } = await following([stream(event(1), staysOpen)]);
    setTimeout(() => controller.abort(), 50);
    expect(await take(99)).toEqual([1]);
  });

  it('leaves nothing behind on a signal that lives on, however often the connection was made', async () => {
    const { signal } = new AbortController();
    let listening = 0;
    const { addEventListener, removeEventListener } = signal;
    signal.addEventListener = (...args: Parameters<typeof addEventListener>) => {
      listening++;
      addEventListener.apply(signal, args);
    };
    signal.removeEventListener = (...args: Parameters<typeof removeEventListener>) => {
      listening--;
      removeEventListener.apply(signal, args);
    };
    const { take } = await following([1, 2, 3].map((n) => stream(event(n), breaks)));
    expect(await take(3, { signal })).toEqual([1, 2, 3]);
    expect(listening).toBe(0);
  });

  it('closes the connection when it breaks the loop', async () => {
    let closed: () => void = () => {};
    const closing = new Promise<void>((resolve) => {
      closed = resolve;
    });
    const { take } = await following([
      (response) => {
        response.on('close', closed);
        response.writeHead(200, { 'content-type': 'text/event-stream' }).write(event(1));
      },
    ]);
    await take(1);
    await closing;
  });
});

it('a reader hears when it has caught up', async () => {
  const { take } = await following([stream(event(1) + control('caught-up', 5) + event(6), staysOpen)]);
  const caughtUp: string[] = [];
  await take(2, { onCaughtUp: (at) => caughtUp.push(at) });
  expect(caughtUp).toEqual([position(5)]);
});
