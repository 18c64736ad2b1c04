import { describe, expect, it, onTestFinished } from 'vitest';
import type { BulkCommand, BulkOptions, Verdict } from '../../src/client/index.ts';
import { createClient } from '../../src/client/index.ts';
import { type Answer, dropped, FakeServer, problem } from './fake-server.ts';

const command = (id: string, name = 'x'): BulkCommand => ({ kind: 'port', id, type: 'UpdatePort', data: { name } });

async function clientOf(...script: Answer[]) {
  const server = await FakeServer.playing(...script);
  onTestFinished(() => server.close());
  const client = createClient({
    baseUrl: server.url,
    timeoutMs: 250,
    retry: { attempts: 3, firstDelayMs: 1, maxDelayMs: 4 },
  });
  return { server, client };
}

type Sent = { id: string; key: string; data: { name: string } };
const linesOf = (body: string): Sent[] =>
  body
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));

/** What the server says of each line; whatever is not said is cut off with the connection. */
const answering =
  (say: (sent: Sent, line: number) => object | null): Answer =>
  (response, { body }) => {
    response.writeHead(200, { 'content-type': 'application/x-ndjson' });
    for (const [index, sent] of linesOf(body).entries()) {
      const verdict = say(sent, index + 1);
      if (!verdict) {
        setTimeout(() => response.socket?.destroy(), 5);
        return;
      }
      response.write(`${JSON.stringify({ line: index + 1, ...verdict })}\n`);
    }
    response.end();
  };

const done = ({ id, data }: Sent) => ({
  status: 200,
  resource: { kind: 'port', id },
  revision: Number(data.name),
  position: '0000000000000001',
  events: [],
});
const refusal = (slug: string, status: number) => ({ type: `/problems/${slug}`, title: slug, status });

async function collect(verdicts: AsyncIterable<Verdict>): Promise<string[]> {
  const said: string[] = [];
  for await (const verdict of verdicts) {
    const { id } = verdict.resource;
    said.push(verdict.done ? `${id} done ${verdict.revision}` : `${id} ${verdict.problem.status}`);
  }
  return said;
}

const numbered = (count: number) => Array.from({ length: count }, (_, index) => command(`p${index}`, String(index)));
const allDone = (count: number) => Array.from({ length: count }, (_, index) => `p${index} done ${index}`);

describe('many commands over one line', () => {
  it('are sent in batches, and answered in their order', async () => {
    const { server, client } = await clientOf(answering(done));
    expect(await collect(client.commands(numbered(25), { batchSize: 10 }))).toEqual(allDone(25));
    expect(server.requests.map(({ body }) => linesOf(body).length)).toEqual([10, 10, 5]);
  });

  it('each carry a key of their own, or the one they were given', async () => {
    const { server, client } = await clientOf(answering(done));
    const verdicts = client.commands([command('a', '1'), { ...command('b', '2'), key: 'mine' }]);
    const keys = [];
    for await (const { key } of verdicts) keys.push(key);
    expect(keys).toEqual(linesOf(server.requests[0]!.body).map(({ key }) => key));
    expect(keys[0]).toMatch(/^[0-9a-f]{32}$/);
    expect(keys[1]).toBe('mine');
  });

  it('that are refused do not hold up the others', async () => {
    const { client } = await clientOf(
      answering((sent) => (sent.id === 'p1' ? refusal('port-bound', 409) : done(sent))),
    );
    expect(await collect(client.commands(numbered(3)))).toEqual(['p0 done 0', 'p1 409', 'p2 done 2']);
  });

  it('leave as they come where their source is slow', async () => {
    const { server, client } = await clientOf(answering(done));
    async function* slowly() {
      for (const one of numbered(3)) {
        yield one;
        await new Promise((resolve) => setTimeout(resolve, 60));
      }
    }
    expect(await collect(client.commands(slowly(), { lingerMs: 5 }))).toEqual(allDone(3));
    expect(server.requests).toHaveLength(3);
  });

  it('stop being asked for when nobody wants the verdicts any more', async () => {
    const { client } = await clientOf(answering(done));
    let finished = false;
    function* source() {
      try {
        for (;;) yield command('p', '1');
      } finally {
        finished = true;
      }
    }
    for await (const _ of client.commands(source(), { batchSize: 2 })) break;
    expect(finished).toBe(true);
  });
});

describe('a line that breaks between verdicts', () => {
  it('is made again for those that got none, under the same keys', async () => {
    const breaksAfterTwo = answering((sent, line) => (line <= 2 ? done(sent) : null));
    const { server, client } = await clientOf(breaksAfterTwo, dropped, breaksAfterTwo, answering(done));
    expect(await collect(client.commands(numbered(6)))).toEqual(allDone(6));
    const [first, second, third, fourth] = server.requests.map(({ body }) => linesOf(body));
    expect(second).toEqual(first!.slice(2));
    expect(third).toEqual(second);
    expect(fourth).toEqual(first!.slice(4));
  });

  it('or goes silent, is made again too', async () => {
    const { server, client } = await clientOf((response, { body }) => {
      const [first] = linesOf(body);
      response.writeHead(200).write(`${JSON.stringify({ line: 1, ...done(first!) })}\n`);
    }, answering(done));
    expect(await collect(client.commands(numbered(3)))).toEqual(allDone(3));
    expect(linesOf(server.requests[1]!.body)).toHaveLength(2);
  });

  it('and stays broken, is told after as many tries as the policy has', async () => {
    const { server, client } = await clientOf(dropped);
    await expect(collect(client.commands(numbered(2)))).rejects.toMatchObject({ name: 'ConnectionError' });
    expect(server.requests).toHaveLength(3);
  });
});

describe('a server that cannot take commands at the moment', () => {
  it('is sent those it turned away again', async () => {
    const { server, client } = await clientOf(
      problem('too-many-commands', 429),
      answering((sent, line) => (line > 2 ? refusal('not-writable', 503) : done(sent))),
      answering(done),
    );
    expect(await collect(client.commands(numbered(4)))).toEqual(allDone(4));
    expect(linesOf(server.requests[2]!.body).map(({ id }) => id)).toEqual(['p2', 'p3']);
  });

  it('and stops, says so once for all that follow; they are sent again', async () => {
    const { client } = await clientOf((response, request) => {
      const [first] = linesOf(request.body);
      response.writeHead(200).write(`${JSON.stringify({ line: 1, ...done(first!) })}\n`);
      response.end(`${JSON.stringify({ line: 2, ...refusal('shutting-down', 503) })}\n`);
    }, answering(done));
    expect(await collect(client.commands(numbered(4)))).toEqual(allDone(4));
  });

  it('for long, has the last word', async () => {
    const { client } = await clientOf(
      answering((sent) => (sent.id === 'p1' ? refusal('not-writable', 503) : done(sent))),
    );
    expect(await collect(client.commands(numbered(3)))).toEqual(['p0 done 0', 'p1 503', 'p2 done 2']);
  });

  it('never gets a command after a later one on the same resource was carried out', async () => {
    const { server, client } = await clientOf(
      answering((sent, line) => (line === 1 ? refusal('not-writable', 503) : done(sent))),
      answering(done),
    );
    const verdicts = await collect(client.commands([command('a', '1'), command('a', '2'), command('b', '3')]));
    expect(verdicts).toEqual(['a 503', 'a done 2', 'b done 3']);
    expect(server.requests).toHaveLength(1);
  });
});

it('a caller who gives up ends the whole undertaking', async () => {
  const { client } = await clientOf(() => {});
  const controller = new AbortController();
  const options: BulkOptions = { signal: controller.signal };
  setTimeout(() => controller.abort(new Error('enough')), 20);
  await expect(collect(client.commands(numbered(2), options))).rejects.toThrow('enough');
});
