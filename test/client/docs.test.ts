import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { expect, it, onTestFinished } from 'vitest';
import { loadConfig } from '../../src/config.ts';
import { startStackledger } from '../../src/main.ts';

const here = fileURLToPath(new URL('.', import.meta.url));

/** The examples of a page, in their order. */
const examplesIn = (page: string, language: string): string[] =>
  [...page.matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\`$`, 'gms'))].map(([, code]) => code!);

it('the examples of docs/client.md work as they are written, and print what they say', async () => {
  const flags = ['--store', 'memory:', '--port', '0', '--log-level', 'silent'];
  const ledger = await startStackledger(loadConfig(flags, {}));
  onTestFinished(() => ledger.stop());
  const folder = await mkdtemp(`${here}docs-`); // inside the project, where its packages are found
  onTestFinished(() => rm(folder, { recursive: true }));

  const examples = examplesIn(await readFile('docs/client.md', 'utf8'), 'ts');
  const program = examples
    .join('\n')
    .replaceAll('stackledger/client', '../../../src/client/index.ts')
    .replaceAll('http://127.0.0.1:8642', ledger.url);
  await writeFile(`${folder}/examples.mts`, program);
  const child = spawn(process.execPath, ['--import', 'tsx', `${folder}/examples.mts`]);
  let printed = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (printed += chunk));
  const [code] = await once(child, 'close');

  const time = '\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z';
  expect(printed).toMatch(/^DOWN 1 1\n409 port-blocked .+\n1 0\n/);
  expect(printed).toMatch(new RegExp(`^${time} PortCreated alice DOWN$`, 'm'));
  expect(printed).toMatch(new RegExp(`^${time} ProvisioningComponentAdded f0b6c5c8-.*$`, 'm'));
  expect(code).toBe(0);
});
