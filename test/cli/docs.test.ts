import { spawn } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { expect, it, onTestFinished, vi } from 'vitest';
import { checks } from '../../src/cli/verify/finding.ts';
import { createClient } from '../../src/client/index.ts';
import { loadConfig } from '../../src/config.ts';
import { startStackledger } from '../../src/main.ts';
import { nthId } from '../support/ledger.ts';
import { temporaryFolder } from './ledger-file.ts';
import { finished, patient } from './run.ts';

vi.setConfig(patient);

const page = await readFile('docs/cli.md', 'utf8');
const main = fileURLToPath(new URL('../../src/cli/main.ts', import.meta.url));
const tsx = import.meta.resolve('tsx');

it('the examples of docs/cli.md work as they are written', async () => {
  const folder = await temporaryFolder();
  const store = `sqlite:${folder}/ledger.db`;
  const ledger = await startStackledger(loadConfig(['--store', store, '--port', '0', '--log-level', 'silent'], {}));
  onTestFinished(() => ledger.stop());
  const port = createClient({ baseUrl: ledger.url }).port(nthId(1));
  await port.execute({ type: 'CreatePort', data: {} });
  await port.execute({ type: 'AddProvisioningComponent', data: { entity: 'L2' } });

  const examples = [...page.matchAll(/^```sh\n(.*?)^```$/gms)].map(([, code]) => code!);
  const script = [
    'set -euo pipefail',
    `stackledger() { '${process.execPath}' --import '${tsx}' '${main}' "$@"; }`,
    ...examples,
  ].join('\n');
  const env = { ...process.env, STACKLEDGER_URL: ledger.url, PORT: nthId(1), STORE: store };
  const { code, stdout, stderr } = await finished(spawn('bash', ['-c', script], { cwd: folder, env }));
  expect({ code, stderr: stderr.replace(/^2 events and .* written to standard output.*\n/m, '') }).toEqual({
    code: 0,
    stderr: '',
  });
  expect(stdout.match(/Everything is as it was recorded/g)).toHaveLength(2);
  expect(stdout).toContain('2 events and 2 receipts from standard input are in sqlite:./second.db');
});

it('docs/cli.md explains every finding', () => {
  for (const check of Object.keys(checks)) expect(page).toContain(`| \`${check}\` |`);
});
