import { existsSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { renderSettings } from '../../src/config.ts';
import { startLedger } from '../api/support.ts';

const root = new URL('../../', import.meta.url);
const pages = ['docs/operations.md', 'docs/scaling.md']
  .map((path) => readFileSync(new URL(path, root), 'utf8'))
  .join('\n');
const mentioned = (pattern: RegExp): string[] => [...new Set(Array.from(pages.matchAll(pattern), ([, name]) => name!))];

test('the pages for operators name metrics that a server has', async () => {
  const { url } = await startLedger();
  const metrics = await (await fetch(`${url}/metrics`)).text();
  const known = [...metrics.matchAll(/^# TYPE (\S+)/gm)].map(([, name]) => name);
  const named = mentioned(/`(stackledger_\w+)/g);
  expect(named.length).toBeGreaterThan(10);
  expect(known).toEqual(expect.arrayContaining(named));
});

test('they name settings that there are, and pages that can be read', () => {
  const settings = renderSettings();
  for (const name of mentioned(/\b(STACKLEDGER_[A-Z_]+)/g).filter((name) => name !== 'STACKLEDGER_TEST_ESDB'))
    expect(settings).toContain(`\`${name}\``);
  for (const page of mentioned(/\]\(([\w-]+\.md)/g)) expect(existsSync(new URL(`docs/${page}`, root)), page).toBe(true);
});
