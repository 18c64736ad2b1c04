import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { createClient } from '../../src/client/index.ts';
import { loadConfig } from '../../src/config.ts';
import { type Stackledger, startStackledger } from '../../src/main.ts';
import { nthId } from '../support/ledger.ts';
import { temporaryFolder } from './ledger-file.ts';
import { finished, patient, run, start } from './run.ts';

vi.setConfig(patient);

const web = nthId(1);
const gone = nthId(2);

let ledger: Stackledger;
let positions: string[];

/** A port that was blocked twice and is provisioned, and one that was deleted; simulated time, so texts stay the same. */
beforeAll(async () => {
  const flags = ['--store', 'memory:', '--port', '0', '--log-level', 'silent', '--clock', 'manual'];
  ledger = await startStackledger(loadConfig(flags, {}));
  const client = createClient({ baseUrl: ledger.url, actor: 'alice' });
  const port = client.port(web);
  const answers = [await port.execute({ type: 'CreatePort', data: { name: 'web' } })];
  await client.clock.advance('PT1M');
  answers.push(await port.execute({ type: 'AddProvisioningComponent', data: { entity: 'L2', host: 'compute-17' } }));
  await client.clock.advance('PT75S');
  answers.push(await port.execute({ type: 'AddProvisioningComponent', data: { entity: 'DHCP' } }));
  await client.clock.advance('P1D');
  answers.push(await port.execute({ type: 'ProvisioningComplete', data: { entity: 'DHCP' } }));
  positions = answers.map(({ position }) => position);
  await client.port(gone).execute({ type: 'CreatePort', data: { name: 'gone' } });
  await client.port(gone).execute({ type: 'DeletePort', data: {} });
  return () => ledger.stop();
});

const ask = (...args: string[]) => run([...args, '--url', ledger.url]);
const lines = (text: string): string[] => text.trimEnd().split('\n');
const parsed = (text: string) => lines(text).map((line) => JSON.parse(line));

describe('stackledger history', () => {
  it('tells when, what, by whom, and how long a status had lasted', async () => {
    const { code, stdout, stderr } = await ask('history', 'port', web);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(
      stdout.replaceAll(/\d\d:\d\d:\d\d\.\d{3}/g, 'hh:mm:ss.mmm').replaceAll(/^\d{4}-\d\d-\d\d$/gm, 'yyyy-mm-dd'),
    ).toBe(
      `yyyy-mm-dd
    0  hh:mm:ss.mmm               PortCreated · user alice
                                  DOWN
    1  hh:mm:ss.mmm        1 min  ProvisioningComponentAdded · user alice
    2  hh:mm:ss.mmm   1 min 15 s  ProvisioningComponentAdded · user alice
yyyy-mm-dd
    3  hh:mm:ss.mmm          1 d  ProvisioningComponentCompleted · user alice
`,
    );
  });

  it('has no colours where nobody looks at it', async () => {
    expect((await ask('history', 'port', web)).stdout).not.toContain('\u001b');
  });

  it('can be only the end of it', async () => {
    const { stdout } = await ask('history', 'port', web, '--json', '--last', '2');
    expect(parsed(stdout).map(({ revision }) => revision)).toEqual([2, 3]);
  });

  it('is one entry a line for programs', async () => {
    const { stdout } = await ask('--json', 'history', 'port', web);
    expect(parsed(stdout)).toMatchObject([
      { revision: 0, type: 'PortCreated', actor: { type: 'user', id: 'alice' }, statusChange: { to: 'DOWN' } },
      { revision: 1, type: 'ProvisioningComponentAdded', sincePreviousMs: 60_000 },
      { revision: 2, sincePreviousMs: 75_000 },
      { revision: 3, type: 'ProvisioningComponentCompleted' },
    ]);
  });

  it('stays readable after a deletion', async () => {
    const { code, stdout } = await ask('history', 'port', gone);
    expect(code).toBe(0);
    expect(stdout).toContain('PortDeleted · user alice');
  });
});

describe('stackledger replay', () => {
  it('shows what each event changed, and the state it came to', async () => {
    const { code, stdout } = await ask('replay', 'port', web);
    expect(code).toBe(0);
    const changes = lines(stdout).flatMap((line) => /^ +([-+~] .*)$/.exec(line)?.[1] ?? []);
    expect(changes).toContainEqual('+ /name  web');
    expect(changes).toContainEqual(expect.stringMatching(/^\+ \/blocks\/0 {2}\{"entity":"L2","host":"compute-17",/));
    expect(changes).toContainEqual(expect.stringMatching(/^- \/blocks {2}\{"entity":"DHCP",/));
    expect(changes).not.toContainEqual(expect.stringMatching(/revision|updatedAt/));
    const state = JSON.parse(stdout.slice(stdout.indexOf('\n{')));
    const { state: shown } = await createClient({ baseUrl: ledger.url }).port(web).state();
    expect(state).toEqual(shown);
  });

  it.each<[string, () => string, number]>([
    ['revision', () => '1', 1],
    ['position', () => positions[2]!, 2],
    ['time', () => '2026-01-01T00:01:30Z', 1],
    ['time of a whole day later', () => '2027-01-01', 3],
  ])('stops at a %s', async (_, at, revision) => {
    const { stdout } = await ask('replay', 'port', web, '--json', '--at', at());
    const entries = parsed(stdout);
    expect(entries.at(-1)).toMatchObject({ revision, position: positions[revision], state: { revision, name: 'web' } });
    expect(entries.slice(0, -1).map((entry) => entry.revision)).toEqual([0, 1, 2, 3].slice(0, revision + 1));
    expect(entries[0]).toMatchObject({ patch: [{ op: 'add', path: '', value: { name: 'web' } }] });
    const { state } = await createClient({ baseUrl: ledger.url }).port(web).state({ at: revision });
    expect(entries.at(-1).state).toEqual(state);
  });

  it('works for what was deleted', async () => {
    const { code, stdout } = await ask('replay', 'port', gone, '--json');
    expect(code).toBe(0);
    expect(parsed(stdout).at(-1)).toMatchObject({
      revision: 1,
      state: { name: 'gone', deletedAt: expect.any(String) },
    });
  });

  it('of a moment before the resource was there says so', async () => {
    const { code, stderr } = await ask('replay', 'port', web, '--at', '1999-12-31T23:59:59Z');
    expect(code).toBe(1);
    expect(stderr).toBe(`stackledger: The port ${web} did not exist yet at that moment.\n`);
  });
});

describe('stackledger tail', () => {
  it('shows what is recorded from now on, until it is interrupted', async () => {
    const client = createClient({ baseUrl: ledger.url });
    const child = start(['tail', '--json', '--url', ledger.url]);
    const ended = finished(child);
    const first = once(createInterface(child.stdout), 'line');
    const id = nthId(3);
    await client.port(id).execute({ type: 'CreatePort', data: {} });
    const renaming = setInterval(() => {
      client.port(id).execute({ type: 'UpdatePort', data: { name: `at ${Date.now()}` } });
    }, 200);
    onTestFinished(() => clearInterval(renaming));
    expect(JSON.parse((await first)[0])).toMatchObject({ type: 'PortUpdated', resource: { kind: 'port', id } });
    clearInterval(renaming);
    child.kill('SIGINT');
    expect(await ended).toMatchObject({ code: 130, stderr: '' });
  });

  it('can begin in the past, and be about some events only', async () => {
    const child = start(['tail', '--url', ledger.url, '--after', 'start', '--kind', 'port', '--type', 'PortDeleted']);
    const ended = finished(child);
    await once(child.stdout, 'data');
    child.kill('SIGINT');
    const { code, stdout } = await ended;
    expect(code).toBe(130);
    expect(stdout).toMatch(
      new RegExp(`^2026-01-02 \\d\\d:\\d\\d:\\d\\d\\.\\d{3}  port    ${gone}  PortDeleted · user alice\n$`),
    );
  });

  it('ends without a word when its reader has had enough', async () => {
    const child = start(['tail', '--url', ledger.url, '--after', 'start']);
    await once(child.stdout, 'data');
    child.stdout.destroy();
    await createClient({ baseUrl: ledger.url }).port(nthId(4)).execute({ type: 'CreatePort', data: {} });
    let stderr = '';
    child.stderr.on('data', (chunk) => {
      stderr += chunk;
    });
    const [code] = await once(child, 'close');
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  });
});

describe('stackledger verify --url', () => {
  const serving = async () => {
    const store = `sqlite:${await temporaryFolder()}/ledger.db`;
    const flags = ['--store', store, '--port', '0', '--log-level', 'silent'];
    const running = await startStackledger(loadConfig(flags, {}));
    onTestFinished(() => running.stop());
    const client = createClient({ baseUrl: running.url });
    await client.port(web).execute({ type: 'CreatePort', data: { name: 'web' } });
    await client.port(gone).execute({ type: 'CreatePort', data: {} });
    await client.port(gone).execute({ type: 'DeletePort', data: {} });
    return { store, running };
  };

  it('compares what the server shows with what the events lead to', async () => {
    const { store, running } = await serving();
    const { code, stdout } = await run(['verify', '--json', '--store', store, '--url', running.url]);
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ ok: true, events: 3, compared: 2 });
  });

  it('finds a server that shows something else', async () => {
    const { store } = await serving();
    const { code, stdout } = await run(['verify', '--json', '--store', store, '--url', ledger.url]);
    expect(code).toBe(1);
    expect(JSON.parse(stdout).findings).toMatchObject([
      {
        check: 'server-differs',
        stream: `port-${web}`,
        detail: expect.stringMatching(/^The server shows other values of /),
      },
    ]);
  });
});

describe('stackledger serve', () => {
  it('runs a ledger until it is told to stop', async () => {
    const store = `sqlite:${await temporaryFolder()}/ledger.db`;
    const child = start(['serve', '--port', '0', '--store', store], { STACKLEDGER_LOG_LEVEL: 'silent' });
    const ended = finished(child);
    const [line] = await once(createInterface(child.stdout), 'line');
    const url = /http:\/\/127\.0\.0\.1:\d+/.exec(line)![0];
    const health = () => createClient({ baseUrl: url }).health();
    await expect.poll(health, { timeout: 30_000 }).toEqual({ ready: true, reasons: [] });
    child.kill('SIGTERM');
    expect(await ended).toMatchObject({ code: 0, stderr: '' });
  });

  it('names every setting that is wrong', async () => {
    const { code, stderr } = await run(['serve', '--port', 'eighty', '--flux', '1']);
    expect(code).not.toBe(0);
    expect(stderr).toContain('--port: must be a whole number, not "eighty".');
    expect(stderr).toContain('--flux: there is no such flag');
  });
});
