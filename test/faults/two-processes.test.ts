import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { clientOf, eventually } from '../api/support.ts';
import { all } from '../contract/support.ts';
import { plainEnvironment } from '../support/environment.ts';
import { database } from '../support/eventstoredb/engine.ts';

const entry = fileURLToPath(new URL('../api/fixtures/serve.ts', import.meta.url));

/** An API process on the cluster. */
async function startProcess(store: string) {
  const flags = ['--port', '0', '--store', store, '--log-level', 'silent'];
  const child: ChildProcess = spawn(process.execPath, ['--import', 'tsx', entry, ...flags], {
    env: plainEnvironment,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const line = await firstLine(child);
  const url = /http:\S+?(?=,)/.exec(line)![0];
  const kill = async (): Promise<void> => {
    if (child.kill('SIGKILL')) await once(child, 'exit');
  };
  return { ...clientOf(url), kill };
}

/** @throws Error where the process ends before it says anything */
async function firstLine(child: ChildProcess): Promise<string> {
  for await (const line of createInterface({ input: child.stdout! })) return line;
  throw new Error('a process ended before it listened');
}

type Process = Awaited<ReturnType<typeof startProcess>>;

const ports = Array.from({ length: 6 }, () => randomUUID());
const clients = 12;
const commandsPerClient = 10;

describe('two processes on one cluster', () => {
  const { url, open } = database({ nodes: 3, electionMs: 50 });
  let first: Process;
  let second: Process;
  const acknowledged: { key: string; eventIds: string[] }[] = [];
  let refused = 0;

  beforeAll(async () => {
    [first, second] = await Promise.all([startProcess(url()), startProcess(url())]);
  }, 60_000);
  afterAll(() => Promise.all([first.kill(), second.kill()]));

  /** Gives a command to one process and, where that is gone or not able to, again to the other, with the same key. */
  async function give(type: string, data: object, id: string, at: number): Promise<void> {
    const key = randomUUID();
    for (let attempt = 0; ; attempt++) {
      const process = (at + attempt) % 2 === 0 ? first : second;
      const answer = await process.command(type, data, { 'idempotency-key': key }, id).catch(() => null);
      if (answer?.status === 200) {
        acknowledged.push({ key, eventIds: answer.body.events.map((event: { id: string }) => event.id) });
        return;
      }
      if (answer && answer.status < 500 && !answer.body.retryable) {
        refused += 1;
        return;
      }
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }

  const work = async (client: number): Promise<void> => {
    for (let n = 0; n < commandsPerClient; n++) {
      const id = ports[(client + n) % ports.length]!;
      const entity = `agent-${client % 4}`;
      if (n % 3 === 0) await give('AddProvisioningComponent', { entity }, id, client + n);
      else await give('UpdatePort', { name: `${client}-${n}` }, id, client + n);
    }
  };

  it('agree on every resource, and lose nothing when one of them is killed', async () => {
    for (const [n, id] of ports.entries()) await give('CreatePort', {}, id, n);
    const working = Promise.all(Array.from({ length: clients }, (_, client) => work(client)));
    await eventually(() => acknowledged.length).toBeGreaterThan(50);
    await first.kill();
    await working;
    first = await startProcess(url());

    const store = await open();
    const events = await all(store.readAll({ filter: { streamPrefixes: ports.map((id) => `port-${id}`) } }));
    await store.close();
    const stored = new Map<string, number>();
    for (const { id } of events) stored.set(id, (stored.get(id) ?? 0) + 1);
    expect([...stored.values()].every((count) => count === 1)).toBe(true);
    const missing = acknowledged.flatMap(({ eventIds }) => eventIds).filter((id) => !stored.has(id));
    expect(missing).toEqual([]);

    for (const id of ports) {
      const [one, other] = await Promise.all([first, second].map((each) => each.get(`/v1/ports/${id}`)));
      expect(one!.body).toEqual(other!.body);
    }
    expect(acknowledged.length + refused).toBe(ports.length + clients * commandsPerClient);
    process.stdout.write(
      `two processes, one killed: ${acknowledged.length} acknowledged, ${refused} refused, ${events.length} events, none lost or twice\n`,
    );
  }, 120_000);

  it('refuse only what is wrong now, not what was wrong before the other changed it', async () => {
    const id = randomUUID();
    expect((await first.command('CreatePort', {}, {}, id)).status).toBe(200);
    for (let round = 0; round < 20; round++) {
      const [one, other] = round % 2 === 0 ? [first, second] : [second, first];
      const renamed = await one.command('UpdatePort', { name: `round ${round}` }, {}, id);
      const { revision } = renamed.body;
      const matching = await other.command(
        'UpdatePort',
        { name: `${round} again` },
        { 'if-match': `"${revision}"` },
        id,
      );
      expect(matching.status).toBe(200);
    }
  }, 60_000);

  it('show the one what the other did, to whoever asks for that position', async () => {
    const id = randomUUID();
    const { body } = await first.command('CreatePort', { name: 'fresh' }, {}, id);
    const seen = await second.get(`/v1/ports/${id}?min_position=${body.position}`);
    expect([seen.status, seen.body.name]).toEqual([200, 'fresh']);
  }, 60_000);
});
