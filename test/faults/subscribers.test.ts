import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { createClient } from '../../src/client/index.ts';
import { Victim } from '../soak/victim.ts';
import { nthId } from '../support/ledger.ts';

const ids = Array.from({ length: 20 }, (_, n) => nthId(n + 1));

/** A server on one ledger and, once it has chosen one, one port, however often it is killed. */
class Revenant {
  readonly #store: string;
  #victim: Victim | null = null;
  #port = '0';

  constructor(folder: string) {
    this.#store = `sqlite:${join(folder, 'ledger.db')}`;
  }

  async start(): Promise<string> {
    this.#victim = new Victim(['--port', this.#port, '--store', this.#store, '--read-wait-ms', '30000']);
    const url = await this.#victim.url;
    if (url === null) throw new Error(this.#victim.complaints);
    this.#port = new URL(url).port;
    return url;
  }

  async kill(): Promise<void> {
    await this.#victim?.kill();
  }
}

// Drives the built server.
test('a server that is killed while it is watched: every subscriber ends up with all there is, and saw nothing twice', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'stackledger-'));
  const server = new Revenant(folder);
  const leaving = new AbortController();
  onTestFinished(async () => {
    leaving.abort();
    await server.kill();
    await rm(folder, { recursive: true });
  });
  const patient = { attempts: 1000, firstDelayMs: 20, maxDelayMs: 200, patienceMs: 60_000 };
  const client = createClient({ baseUrl: await server.start(), retry: patient });
  const { signal } = leaving;
  for (const id of ids) await client.port(id).execute({ type: 'CreatePort', data: {} });

  const seen = { list: [] as string[], port: [] as string[], events: [] as string[] };
  const watching = Promise.all([
    (async () => {
      for await (const { items } of client.list('port', { sort: 'id' }).watch({ signal })) {
        seen.list = items.map(({ name }) => name);
      }
    })(),
    (async () => {
      for await (const { name } of client.port(ids[0]!).watch({ signal })) seen.port.push(name);
    })(),
    (async () => {
      for await (const { position } of client.events({ signal })) seen.events.push(position);
    })(),
  ]);

  const acknowledged: string[] = [];
  const writing = (async () => {
    for (let n = 0; n < 200; n++) {
      const name = String(n).padStart(4, '0');
      await client.port(ids[n % ids.length]!).execute({ type: 'UpdatePort', data: { name } });
      acknowledged[n % ids.length] = name;
      await sleep(10);
    }
  })();
  for (let kill = 0; kill < 2; kill++) {
    await sleep(700);
    await server.kill();
    await server.start();
  }
  await writing;

  await expect.poll(() => seen.list, { timeout: 30_000 }).toEqual(acknowledged);
  await expect.poll(() => seen.port.at(-1), { timeout: 30_000 }).toBe(acknowledged[0]);
  expect(seen.port, 'each state once, and never an older one again').toEqual([...new Set(seen.port)].sort());
  const events: string[] = [];
  for (let after: string | undefined; ; ) {
    const page = await client.eventPage({ limit: 1000, ...(after !== undefined && { after }) });
    events.push(...page.events.map(({ position }) => position));
    if (page.events.length < 1000) break;
    after = page.next;
  }
  await expect.poll(() => seen.events, { timeout: 30_000 }).toEqual(events);
  expect(events).toHaveLength(ids.length + 200);
  leaving.abort();
  await watching;
}, 120_000);
