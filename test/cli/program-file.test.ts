import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

/** The repository: what `npx` finds there is what `npm run build` left, with the permissions it has. */
const project = new URL('../../', import.meta.url);

test('runs as `npx stackledger` where the project was built, as the README says', async () => {
  const { version } = JSON.parse(await readFile(new URL('package.json', project), 'utf8'));
  const { stdout } = await promisify(execFile)('npx', ['--no-install', 'stackledger', '--version'], { cwd: project });
  expect(stdout.trim()).toBe(version);
}, 30_000);
