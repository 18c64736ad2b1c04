import { readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { openStore } from '../../src/store/open-store.ts';
import { db, smallLedger, tamper } from './ledger-file.ts';
import { finished, patient, run, start } from './run.ts';

vi.setConfig(patient);

describe('stackledger verify', () => {
  it('of a sound ledger says what was looked at', async () => {
    const { url } = await smallLedger();
    const { code, stdout, stderr } = await run(['verify', '--store', url]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout.split('\n')).toEqual([
      expect.stringMatching(new RegExp(`^ledger     [0-9a-f-]{36}, ${url}, created 2026-01-01T00:00:00.000Z$`)),
      'events     13 in 2 streams',
      'receipts   6',
      'snapshots  2',
      '',
      expect.stringMatching(/^Everything is as it was recorded\. \(.+\)$/),
      '',
    ]);
  });

  it('of a ledger somebody changed names the first wrong event, and exits with 1', async () => {
    const { path, url } = await smallLedger();
    tamper(path, `UPDATE events SET data = replace(data, 'db-1', 'db-9') WHERE position = 4`);
    const human = await run(['verify', '--store', url]);
    expect(human.code).toBe(1);
    expect(human.stdout).toContain(
      `✗ port-${db}  revision 1, position 0000000000000004: chain-broken\n    The recorded link is `,
    );
    expect(human.stdout).toContain('1 fault found.');

    const { code, stdout } = await run(['verify', '--json', '--store', url]);
    expect(code).toBe(1);
    expect(JSON.parse(stdout)).toMatchObject({
      ok: false,
      events: 13,
      findingCount: 1,
      findings: [{ check: 'chain-broken', stream: `port-${db}`, revision: 1, position: '0000000000000004' }],
    });
  });

  it('of a file that is not there says so', async () => {
    expect(await run(['verify', '--store', 'sqlite:/nowhere/ledger.db'])).toEqual({
      code: 1,
      stdout: '',
      stderr: 'stackledger: The ledger /nowhere/ledger.db cannot be used: there is no such file.\n',
    });
  });

  it('works beside a process that writes the ledger', async () => {
    const { url } = await smallLedger();
    const server = await openStore(url, { clock: 'manual' });
    expect(await run(['verify', '--store', url])).toMatchObject({ code: 0 });
    await server.close();
  });
});

describe('stackledger export and import', () => {
  it('move a ledger to another file, and nothing of it is lost', async () => {
    const { path, url } = await smallLedger();
    const folder = dirname(path);
    const [first, second] = [join(folder, 'first.ndjson'), join(folder, 'second.ndjson')];
    const copy = `sqlite:${join(folder, 'copy.db')}`;

    const exported = await run(['export', '--store', url, '--to', first]);
    expect(exported).toMatchObject({ code: 0, stderr: '' });
    expect(exported.stdout).toMatch(
      /^13 events and 6 receipts written to .*first\.ndjson in .+; sha256 [0-9a-f]{64}\n$/,
    );

    const imported = await run(['import', '--store', copy, '--from', first]);
    expect(imported).toMatchObject({ code: 0, stderr: '' });
    expect(imported.stdout).toMatch(
      /^13 events and 6 receipts from .*first\.ndjson are in sqlite:.*copy\.db \(.+\)\.\n$/,
    );

    const again = await run(['export', '--json', '--store', copy, '--to', second]);
    expect(JSON.parse(again.stdout)).toMatchObject({ events: 13, receipts: 6, checkpoints: 2 });
    expect(await readFile(second, 'utf8')).toBe(await readFile(first, 'utf8'));
    expect(await run(['verify', '--store', copy])).toMatchObject({ code: 0 });
  });

  it('can be piped into each other', async () => {
    const { path, url } = await smallLedger();
    const copy = `sqlite:${join(dirname(path), 'copy.db')}`;
    const exporting = start(['export', '--store', url, '--to', '-']);
    const importing = start(['import', '--json', '--store', copy, '--from', '-']);
    exporting.stdout.pipe(importing.stdin);
    const { code, stdout } = await finished(importing);
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toEqual({ events: 13, receipts: 6, found: 0, positionsKept: true });
  });

  it('do not overwrite a file, nor fill a ledger that holds something, unless they are told to', async () => {
    const { path, url } = await smallLedger();
    const file = join(dirname(path), 'ledger.ndjson');
    await writeFile(file, 'precious');
    expect(await run(['export', '--store', url, '--to', file])).toEqual({
      code: 1,
      stdout: '',
      stderr: `stackledger: ${file}: it is there already; choose another name, or add --force to overwrite it.\n`,
    });
    expect(await run(['export', '--store', url, '--to', file, '--force'])).toMatchObject({ code: 0 });

    const refused = await run(['import', '--store', url, '--from', file]);
    expect(refused.code).toBe(1);
    expect(refused.stderr).toMatch(
      /^stackledger: sqlite:.* is not empty: it goes up to position 0000000000000013\. .*--resume\.\n$/,
    );
    const resumed = await run(['import', '--json', '--store', url, '--from', file, '--resume']);
    expect(JSON.parse(resumed.stdout)).toMatchObject({ events: 13, found: 13 });
  });

  it('notice a file that was cut off, and go on with the whole one', async () => {
    const { path, url } = await smallLedger();
    const folder = dirname(path);
    const [file, cut] = [join(folder, 'ledger.ndjson'), join(folder, 'cut.ndjson')];
    const copy = `sqlite:${join(folder, 'copy.db')}`;
    await run(['export', '--store', url, '--to', file]);
    const text = await readFile(file, 'utf8');
    await writeFile(cut, text.slice(0, text.length / 2));

    const failed = await run(['import', '--json', '--store', copy, '--from', cut]);
    expect(failed.code).toBe(1);
    expect(JSON.parse(failed.stderr)).toEqual({
      error: expect.stringMatching(/^Line \d+ of the file is cut off\.$/),
      hints: ['Get the whole file, unchanged. An import that was begun goes on with --resume.'],
    });
    const resumed = await run(['import', '--json', '--store', copy, '--from', file, '--resume']);
    const { found, events } = JSON.parse(resumed.stdout);
    expect(events).toBe(13);
    expect(found).toBeGreaterThan(0);
    expect(found).toBeLessThan(13);
    expect(await run(['verify', '--store', copy])).toMatchObject({ code: 0 });
  });

  it('say which file is not there', async () => {
    expect(await run(['import', '--store', 'memory:', '--from', '/nowhere/x'])).toEqual({
      code: 1,
      stdout: '',
      stderr: 'stackledger: /nowhere/x: there is no such file or directory.\n',
    });
  });
});

describe('whoever reads the output', () => {
  it('may stop in the middle, as head does', async () => {
    const { url } = await smallLedger();
    const exporting = start(['export', '--store', url, '--to', '-']);
    exporting.stdout.destroy();
    let stderr = '';
    exporting.stderr.on('data', (chunk) => {
      stderr += chunk;
    });
    const code = await new Promise((resolve) => exporting.on('close', resolve));
    expect({ code, stderr: stderr.replace(/^13 events .*\n/, '') }).toEqual({ code: 0, stderr: '' });
  });
});
