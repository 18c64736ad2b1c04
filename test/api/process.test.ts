import { type ChildProcess, spawn } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, test } from 'vitest';
import { flaky } from '../support/flaky-store.ts';
import { clientOf, eventually, messages, portId, startLedger, take } from './support.ts';

const entry = fileURLToPath(new URL('fixtures/serve.ts', import.meta.url));
const children: ChildProcess[] = [];

afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
});

/** The server as a process of its own, as it is started in earnest. */
function start(flags: readonly string[], environment: Record<string, string> = {}) {
  const { PATH = '' } = process.env;
  const child = spawn(process.execPath, ['--import', 'tsx', entry, ...flags], { env: { PATH, ...environment } });
  children.push(child);
  const output = { out: '', err: '' };
  child.stdout.setEncoding('utf8').on('data', (text) => {
    output.out += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text) => {
    output.err += text;
  });
  const exited = once(child, 'exit').then(([code]) => code as number | null);
  const listening = async (): Promise<string> => {
    await eventually(() => output.out).toContain('\n');
    return /http:\S+?(?=,)/.exec(output.out)![0];
  };
  return { child, output, exited, listening };
}

const scratchLedger = (): string => `sqlite:${join(mkdtempSync(join(tmpdir(), 'stackledger-')), 'ledger.db')}`;
const idOf = (n: number): string => `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`;

describe('a server that is started', () => {
  test('says where it listens, what it keeps, and where it explains itself; logs are JSON lines', async () => {
    const store = scratchLedger();
    const { output, listening, child, exited } = start(['--port', '0', '--store', store]);
    const url = await listening();
    expect(output.out).toBe(`Stackledger listens on ${url}, keeps ${store}, explains itself at ${url}/docs\n`);
    await eventually(async () => (await clientOf(url).get('/readyz')).status).toBe(200);
    for (const line of output.err.trim().split('\n'))
      expect(JSON.parse(line)).toMatchObject({ level: 'info', message: expect.any(String) });
    child.kill('SIGTERM');
    expect(await exited).toBe(0);
  }, 60_000);

  test.each([
    [
      'with wrong settings',
      ['--prot', '1', '--clock', 'sundial'],
      {},
      ['--prot: there is no such flag', '--clock: must be'],
    ],
    ['for everybody without tokens', ['--host', '0.0.0.0'], {}, ['STACKLEDGER_TOKENS_FILE']],
    ['with a misspelt variable', [], { STACKLEDGER_PROT: '1' }, ['STACKLEDGER_PROT: there is no such setting']],
  ])(
    '%s does not start, and says what is wrong in a line each',
    async (_what, flags, environment, lines) => {
      const { output, exited } = start(
        ['--port', '0', '--store', 'memory:', ...flags],
        environment as Record<string, string>,
      );
      expect(await exited).toBe(1);
      const said = output.err.trim().split('\n');
      expect(said).toHaveLength(lines.length);
      for (const [n, line] of lines.entries()) {
        expect(said[n]).toMatch(/^stackledger: /);
        expect(said[n]).toContain(line);
      }
      expect(output.out).toBe('');
    },
    60_000,
  );

  test('on a port or a ledger that another one has does not start', async () => {
    const store = scratchLedger();
    const first = start(['--port', '0', '--store', store]);
    const { port } = new URL(await first.listening());
    const samePort = start(['--port', port, '--store', 'memory:']);
    const sameLedger = start(['--port', '0', '--store', store]);
    // What was begun before the port was asked for does not keep it from ending.
    const folder = mkdtempSync(join(tmpdir(), 'stackledger-'));
    const key = join(folder, 'key.pem');
    writeFileSync(key, generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }));
    const anchored = ['--anchors-file', join(folder, 'anchors.ndjson'), '--anchor-key-file', key];
    const withAnchors = start(['--port', port, '--store', 'memory:', ...anchored]);
    expect(await withAnchors.exited).toBe(1);
    expect(await samePort.exited).toBe(1);
    expect(samePort.output.err).toContain(
      `127.0.0.1:${port} is taken by another program; stop that one, or set STACKLEDGER_PORT.`,
    );
    expect(await sameLedger.exited).toBe(1);
    expect(sameLedger.output.err.trim().split('\n')).toEqual([expect.stringContaining('is in use by')]);
  }, 60_000);

  test('with a clock that stands still refuses a real ledger', async () => {
    const store = scratchLedger();
    const real = start(['--port', '0', '--store', store]);
    await real.listening();
    real.child.kill('SIGTERM');
    await real.exited;
    const simulated = start(['--port', '0', '--store', store, '--clock', 'manual']);
    expect(await simulated.exited).toBe(1);
    expect(simulated.output.err.trim().split('\n')).toEqual([expect.stringContaining('cannot be used')]);
  }, 60_000);
});

describe('a server that is told to stop', () => {
  test('keeps every command it acknowledged, under load, and exits with 0', async () => {
    const store = scratchLedger();
    const { child, exited, listening } = start(['--port', '0', '--store', store]);
    const { command } = clientOf(await listening());
    const acknowledged: string[] = [];
    const callers = Array.from({ length: 16 }, async (_, caller) => {
      for (let n = 0; ; n++) {
        const id = idOf(caller * 100_000 + n);
        const answer = await command('CreatePort', {}, {}, id).catch(() => null);
        if (!answer) return;
        if (answer.status === 200) acknowledged.push(id);
      }
    });
    await eventually(() => acknowledged.length).toBeGreaterThan(100);
    child.kill('SIGTERM');
    expect(await exited).toBe(0);
    await Promise.all(callers);

    const again = start(['--port', '0', '--store', store]);
    const { get } = clientOf(await again.listening());
    const recorded = new Set<string>();
    for (let after = '0000000000000000'; ; ) {
      const { body } = await get(`/v1/events?limit=1000&after=${after}`);
      for (const { resource } of body.events) recorded.add(resource.id);
      if (body.next === after) break;
      after = body.next;
    }
    expect(acknowledged.filter((id) => !recorded.has(id))).toEqual([]);
  }, 60_000);

  test('a second time ends at once, and says so by its exit code', async () => {
    const { child, exited, listening } = start(['--port', '0', '--store', 'memory:']);
    const socket = connect(Number(new URL(await listening()).port), '127.0.0.1');
    socket.on('error', () => {});
    socket.write(
      `POST /v1/ports/${portId}/commands HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 99\r\n\r\n{`,
    );
    await new Promise((resolve) => setTimeout(resolve, 200));
    child.kill('SIGTERM');
    await new Promise((resolve) => setTimeout(resolve, 200));
    expect(child.exitCode).toBeNull();
    child.kill('SIGTERM');
    expect(await exited).toBe(1);
  }, 60_000);

  test('answers what it is working on and takes nothing new', async () => {
    let disk: ReturnType<typeof flaky> | undefined;
    const { command, url, stop, get } = await startLedger([], (store) => {
      disk = flaky(store);
      return disk.store;
    });
    disk!.hold();
    const working = command('CreatePort');
    await eventually(() => disk!.waiting).toBe(1);
    const stopped = stop();
    await eventually(() =>
      get('/livez').then(
        () => 'open',
        () => 'closed',
      ),
    ).toBe('closed');
    disk!.release();
    const answer = await working;
    expect([answer.status, answer.body.revision]).toEqual([200, 0]);
    await stopped;
    await expect(fetch(url)).rejects.toThrow();
  });

  test('does not wait for ever for those who never finish', async () => {
    const { url, stop } = await startLedger(['--shutdown-ms', '100']);
    const socket = connect(Number(new URL(url).port), '127.0.0.1');
    socket.on('error', () => {});
    socket.write(
      `POST /v1/ports/${portId}/commands HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 99\r\n\r\n{`,
    );
    await new Promise((resolve) => setTimeout(resolve, 50));
    const start = performance.now();
    await stop();
    expect(performance.now() - start).toBeLessThan(5_000);
  });

  test('does not wait for connections on which nothing happens', async () => {
    const { url, stop, get } = await startLedger();
    const unused = connect(Number(new URL(url).port), '127.0.0.1');
    await once(unused, 'connect');
    await get('/livez');
    const start = performance.now();
    await Promise.all([stop(), once(unused, 'close')]);
    expect(performance.now() - start).toBeLessThan(5_000);
  });

  test('and started again goes on where a reader left off', async () => {
    const store = scratchLedger();
    const first = start(['--port', '0', '--store', store]);
    const url = await first.listening();
    await clientOf(url).command('CreatePort');
    const [seen] = await take(messages(`${url}/v1/events`), 1);
    first.child.kill('SIGTERM');
    await first.exited;
    const second = start(['--port', '0', '--store', store]);
    const again = await second.listening();
    await clientOf(again).command('DeletePort');
    const [next] = await take(messages(`${again}/v1/events`, { 'last-event-id': seen!.id }), 1);
    expect(next).toMatchObject({ id: '0000000000000002', event: 'PortDeleted' });
  }, 60_000);
});
