import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';
import type { Scheme } from './browser.ts';

interface Violation {
  readonly id: string;
  readonly impact: string;
  readonly nodes: readonly { readonly html: string }[];
}

/** What the colours decide. Everything else is the same by day and by night, and is looked at once. */
const ofColours = "{ runOnly: ['color-contrast'] }";

/** Serious faults for people who use a screen reader, a keyboard, or other eyes; by axe. */
export async function violations(page: Page, scheme: Scheme): Promise<string[]> {
  const axe = createRequire(import.meta.url).resolve('axe-core/axe.min.js');
  // The policy of the page forbids foreign scripts, so it goes in through the debugger.
  await page.evaluate(await readFile(axe, 'utf8'));
  const found = await page.evaluate<Violation[]>(
    `axe.run(${scheme === 'dark' ? ofColours : '{}'}).then(({ violations }) => violations)`,
  );
  return found
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ id, nodes }) => `${id}: ${nodes[0]!.html.slice(0, 200)}`);
}
