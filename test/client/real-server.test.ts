import { randomUUID } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { hashToken } from '../../src/api/access/tokens.ts';
import { type BulkCommand, type ClientOptions, createClient, type LedgerEvent } from '../../src/client/index.ts';
import { loadConfig } from '../../src/config.ts';
import { type Stackledger, startStackledger } from '../../src/main.ts';
import { temporaryFolder } from '../cli/ledger-file.ts';
import { collect } from '../support/ledger.ts';
import { CuttingProxy } from './cutting-proxy.ts';

let shared: Stackledger;
beforeAll(async () => {
  shared = await started(['--store', 'memory:']);
  return () => shared.stop();
});

const started = (flags: readonly string[]): Promise<Stackledger> =>
  startStackledger(loadConfig(['--port', '0', '--log-level', 'silent', '--shutdown-ms', '200', ...flags], {}));

/** A client of the server that most tests share, and a port nobody has heard of. */
function asking(options: Partial<ClientOptions> = {}) {
  return { client: createClient({ baseUrl: shared.url, ...options }), web: randomUUID() };
}

/** A server for one test. */
async function serving(flags: readonly string[]) {
  const ledger = await started(['--store', 'memory:', ...flags]);
  onTestFinished(() => ledger.stop());
  return ledger;
}

/** The same over a line that can break. */
async function proxied() {
  const proxy = await CuttingProxy.to(shared.url);
  onTestFinished(() => proxy.close());
  const retry = { firstDelayMs: 5, maxDelayMs: 20 };
  return { proxy, ...asking({ baseUrl: proxy.url, retry }) };
}

const created = { type: 'CreatePort', data: { name: 'web' } } as const;
const renamed = (name: string) => ({ type: 'UpdatePort', data: { name } }) as const;

describe('a command', () => {
  it('is answered with what was recorded and the state it led to', async () => {
    const { client, web } = asking({ actor: 'Zoë' });
    const answer = await client.port(web).execute(created, { correlationId: 'order 66' });
    expect(answer).toMatchObject({
      resource: { kind: 'port', id: web },
      revision: 0,
      events: [{ type: 'PortCreated', revision: 0 }],
      state: { name: 'web', status: 'DOWN' },
    });
    const [event] = (await client.eventPage({ kind: 'port', id: web })).events;
    expect(event).toMatchObject({
      position: answer.position,
      metadata: { actor: { type: 'user', id: 'Zoë' }, $correlationId: 'order 66', commandType: 'CreatePort' },
    });
  });

  it('that the rules refuse is an error that says why, and was not stored', async () => {
    const { client, web } = asking();
    await client.port(web).execute(created);
    await client.port(web).execute({ type: 'AddProvisioningComponent', data: { entity: 'L2' } });
    const refused = client.port(web).execute({ type: 'SetPortStatus', data: { status: 'ACTIVE' } });
    await expect(refused).rejects.toMatchObject({
      name: 'ProblemError',
      status: 409,
      slug: 'port-blocked',
      message: expect.stringContaining('L2'),
      problem: { revision: 1 },
    });
    expect(await client.port(web).state()).toMatchObject({ revision: 1, state: { status: 'DOWN' } });
  });

  it('that is malformed names the field', async () => {
    const { client, web } = asking();
    const malformed = client.port(web).execute({ type: 'CreatePort', data: { macAddress: 'nonsense' } });
    await expect(malformed).rejects.toMatchObject({
      status: 400,
      errors: [{ in: 'body', pointer: '/data/macAddress', detail: expect.stringContaining('MAC address') }],
    });
  });

  it('meant for another revision is refused', async () => {
    const { client, web } = asking();
    await client.port(web).execute(created);
    await client.port(web).execute(renamed('a'), { ifMatch: 0 });
    await expect(client.port(web).execute(renamed('b'), { ifMatch: 0 })).rejects.toMatchObject({
      status: 412,
      slug: 'revision-mismatch',
    });
  });

  it('with a key of its own gets the first answer again, and no other body', async () => {
    const { client, web } = asking();
    const idempotencyKey = 'create web';
    const first = await client.port(web).execute(created, { idempotencyKey });
    await client.port(web).execute(renamed('b'));
    expect(await client.port(web).execute(created, { idempotencyKey })).toEqual(first);
    await expect(client.port(web).execute(renamed('c'), { idempotencyKey })).rejects.toMatchObject({ status: 422 });
  });
});

describe('an answer that is lost on the line', () => {
  it('is asked for again, and the command is carried out once', async () => {
    const { proxy, client, web } = await proxied();
    await client.port(web).execute(created);
    proxy.loseAnswers(3);
    const answer = await client.port(web).execute(renamed('once'));
    expect(proxy.cut).toBe(3);
    expect(answer).toMatchObject({ revision: 1, events: [{ type: 'PortUpdated' }], state: { name: 'once' } });
    const types = (await collect(client.port(web).history())).map(({ type }) => type);
    expect(types).toEqual(['PortCreated', 'PortUpdated']);
  });

  it('among those of many commands costs none of them, and repeats none', async () => {
    const { proxy, client, web } = await proxied();
    await client.port(web).execute(created);
    let asked = 0;
    function* commands(): Generator<BulkCommand> {
      for (let n = 1; n <= 300; n++) {
        if (++asked % 50 === 0) proxy.loseAnswers(1);
        yield { kind: 'port', id: web, ...renamed(`name ${n}`) };
      }
    }
    const revisions = [];
    for await (const verdict of client.commands(commands(), { batchSize: 20 })) {
      revisions.push(verdict.done ? verdict.revision : verdict.problem);
    }
    expect(proxy.cut).toBe(6);
    expect(revisions).toEqual(Array.from({ length: 300 }, (_, index) => index + 1));
  });
});

describe('many commands', () => {
  it('are carried out in order on each resource, and answered in order', async () => {
    const { client } = asking();
    const ports = Array.from({ length: 10 }, () => randomUUID());
    const rounds = Array.from({ length: 60 }, (_, round) => (round === 0 ? created : renamed(`round ${round}`)));
    const commands = rounds.flatMap((command) => ports.map((id) => ({ kind: 'port', id, ...command }) as const));
    const verdicts = await collect(client.commands(commands, { batchSize: 64 }));
    expect(verdicts.map(({ resource }) => resource.id)).toEqual(commands.map(({ id }) => id));
    expect(verdicts.map((verdict) => verdict.done && verdict.revision)).toEqual(
      commands.map((_, index) => Math.floor(index / ports.length)),
    );
  });

  it('stand side by side with those that are refused', async () => {
    const { client, web } = asking();
    const commands: BulkCommand[] = [
      { kind: 'port', id: web, ...renamed('too early') },
      { kind: 'port', id: web, ...created },
      { kind: 'port', id: 'no id', ...created },
      { kind: 'port', id: web, ...renamed('stale'), ifMatch: 7 },
      { kind: 'port', id: web, ...renamed('fine'), ifMatch: 0 },
    ];
    const verdicts = await collect(client.commands(commands));
    expect(verdicts.map((verdict) => (verdict.done ? 200 : verdict.problem.status))).toEqual([404, 200, 400, 412, 200]);
  });
});

describe('a resource', () => {
  it('is read as it is, and as it was', async () => {
    const { client, web } = asking();
    const first = await client.port(web).execute(created);
    const second = await client.port(web).execute(renamed('new'));
    const names = [];
    for (const at of [undefined, 0, first.position, second.events[0]!.time, 1]) {
      const { state } = await client.port(web).state(at === undefined ? {} : { at });
      names.push(state.name);
    }
    expect(names).toEqual(['new', 'web', 'web', 'new', 'new']);
    expect(await client.port(web).state({ minPosition: second.position })).toMatchObject({
      position: second.position,
      revision: 1,
    });
  });

  it('tells its whole history, page by page, in both directions, with what each event changed', async () => {
    const { client, web } = asking();
    await client.port(web).execute(created);
    const renames = Array.from({ length: 449 }, (_, n) => ({ kind: 'port', id: web, ...renamed(`n${n}`) }) as const);
    await collect(client.commands(renames));
    const upwards = await collect(client.port(web).history({ diff: true }));
    expect(upwards.map(({ revision }) => revision)).toEqual(Array.from({ length: 450 }, (_, index) => index));
    expect(upwards.at(-1)!.patch).toContainEqual({ op: 'replace', path: '/name', value: 'n448' });
    const downwards = await collect(client.port(web).history({ order: 'desc' }));
    expect(downwards.map(({ id }) => id)).toEqual(upwards.map(({ id }) => id).reverse());
  });

  it('that was deleted is gone, and its history is not', async () => {
    const { client, web } = asking();
    await client.port(web).execute(created);
    await client.port(web).execute({ type: 'DeletePort', data: {} });
    await expect(client.port(web).state()).rejects.toMatchObject({ status: 410, slug: 'port-deleted' });
    const types = (await collect(client.port(web).history())).map(({ type }) => type);
    expect(types).toEqual(['PortCreated', 'PortDeleted']);
  });

  it('that never was is not found', async () => {
    const { client, web } = asking();
    await expect(client.port(web).state()).rejects.toMatchObject({ status: 404, slug: 'port-not-found' });
    await expect(collect(client.port(web).history())).rejects.toMatchObject({ status: 404 });
  });

  it('may have an id that a path must escape', async () => {
    const { client } = asking();
    const id = 'compute-17:Open vSwitch agent';
    await expect(client.agent(id).state()).rejects.toMatchObject({ slug: 'agent-not-found' });
  });
});

describe('a reader of the ledger', () => {
  const names = (events: readonly LedgerEvent[]): unknown[] =>
    events.map(({ data }) => data.name ?? (data.changes as { name: string }).name);

  it('sees every event once while the server is stopped and started again', async () => {
    const store = `sqlite:${await temporaryFolder()}/ledger.db`;
    const web = randomUUID();
    let ledger = await started(['--store', store]);
    const { port } = new URL(ledger.url);
    const client = createClient({ baseUrl: ledger.url, retry: { firstDelayMs: 10, maxDelayMs: 100 } });
    const restart = async (): Promise<void> => {
      await ledger.stop();
      ledger = await started(['--store', store, '--port', port]);
    };
    onTestFinished(() => ledger.stop());

    await client.port(web).execute(created);
    const controller = new AbortController();
    const seen: LedgerEvent[] = [];
    let lost = 0;
    const reading = (async () => {
      const events = client.events({ signal: controller.signal, onDisconnect: () => lost++ });
      for await (const event of events) if (seen.push(event) === 41) break;
    })();
    for (let n = 1; n <= 40; n++) {
      await client.port(web).execute(renamed(`n${n}`));
      if (n === 20) await restart();
    }
    await reading;
    expect(lost).toBeGreaterThanOrEqual(1);
    expect(names(seen)).toEqual(['web', ...Array.from({ length: 40 }, (_, index) => `n${index + 1}`)]);
    expect(seen.map(({ position }) => Number(position))).toEqual(Array.from({ length: 41 }, (_, index) => index + 1));
  }, 60_000);

  it('sees every event once over a line that keeps breaking', async () => {
    const { proxy, client, web } = await proxied();
    await client.port(web).execute(created);
    const breaking = setInterval(() => proxy.breakAll(), 30);
    onTestFinished(() => clearInterval(breaking));
    const writing = (async () => {
      for (let n = 1; n <= 100; n++) await client.port(web).execute(renamed(`n${n}`));
    })();
    const seen: LedgerEvent[] = [];
    for await (const event of client.events({ kind: 'port', id: web })) if (seen.push(event) === 101) break;
    await writing;
    expect(seen.map(({ revision }) => revision)).toEqual(Array.from({ length: 101 }, (_, index) => index));
  });

  it('can begin at the present', async () => {
    const { client, web } = asking();
    await client.port(web).execute(created);
    const after = await client.position();
    setTimeout(() => client.port(web).execute(renamed('later')), 20);
    for await (const event of client.events({ after })) {
      expect(event.type).toBe('PortUpdated');
      break;
    }
  });

  it('can have pages instead', async () => {
    const { client, web } = asking();
    await client.port(web).execute(created);
    await client.port(web).execute(renamed('later'));
    const first = await client.eventPage({ kind: 'port', id: web, limit: 1 });
    const second = await client.eventPage({ kind: 'port', id: web, after: first.next });
    expect([first, second].map(({ events }) => events.map(({ revision }) => revision))).toEqual([[0], [1]]);
    expect((await client.eventPage({ kind: 'port', id: web, after: second.next })).events).toEqual([]);
  });
});

describe('a server with tokens', () => {
  it('tells who shows none, and who may not', async () => {
    const file = `${await temporaryFolder()}/tokens.json`;
    const tokens = [{ name: 'auditor', sha256: hashToken('s3cret'), roles: ['reader'] }];
    await writeFile(file, JSON.stringify({ tokens }));
    const { url } = await serving(['--tokens-file', file]);
    const web = randomUUID();
    await expect(createClient({ baseUrl: url }).port(web).state()).rejects.toMatchObject({
      status: 401,
      slug: 'unauthenticated',
    });
    const reader = createClient({ baseUrl: url, token: 's3cret' });
    await expect(reader.port(web).execute(created)).rejects.toMatchObject({ status: 403, slug: 'role-missing' });
    await expect(reader.port(web).state()).rejects.toMatchObject({ status: 404 });
  });
});

describe('time', () => {
  it('passes when it is told to, where it is simulated', async () => {
    const { url } = await serving(['--clock', 'manual']);
    const client = createClient({ baseUrl: url });
    const { now } = await client.clock.advance('PT0S');
    const later = await client.clock.advance('PT75S');
    expect(Date.parse(later.now) - Date.parse(now)).toBe(75_000);
  });

  it('does not where it is real', async () => {
    const { client } = asking();
    await expect(client.clock.advance('PT1S')).rejects.toMatchObject({ status: 409, slug: 'clock-not-manual' });
  });
});

it('a server says that it is ready, as soon as it is', async () => {
  const { client } = asking();
  await expect.poll(() => client.health(), { timeout: 10_000 }).toEqual({ ready: true, reasons: [] });
});
