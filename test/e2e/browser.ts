import { mkdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { type Browser, type BrowserContext, chromium as driver, type Page } from 'playwright-core';
import { afterAll, beforeAll, expect } from 'vitest';
import { buildConsole } from '../support/built-console.ts';
import { chromium, pathOf } from '../support/external.ts';

/** Git ignores it; whoever changes the console looks at what is in it. */
const screenshots = fileURLToPath(new URL('../../test-results/console/', import.meta.url));

const quietly = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

export type Scheme = 'light' | 'dark';

export interface View {
  readonly page: Page;
  readonly close: () => Promise<void>;
}

/** One browser for all tests of a suite; each opens tabs of its own. */
export function sharedBrowser() {
  let browser: Browser;
  beforeAll(async () => {
    buildConsole();
    browser = await driver.launch({ executablePath: pathOf(chromium.program)!, args: quietly });
  });
  afterAll(() => browser?.close());

  return async (scheme: Scheme = 'light', width = 1440): Promise<View> => {
    const context: BrowserContext = await browser.newContext({
      viewport: { width, height: 900 },
      colorScheme: scheme,
      permissions: ['clipboard-read', 'clipboard-write'],
    });
    const page = await context.newPage();
    page.setDefaultTimeout(15_000);
    const faults: string[] = [];
    page.on('pageerror', (error) => faults.push(error.message));
    const close = async (): Promise<void> => {
      await context.close();
      expect(faults).toEqual([]);
    };
    return { page, close };
  };
}

/** Keeps the page as it looks, in its whole length; it is to be no wider than the window. */
export async function takeScreenshot(page: Page, name: string): Promise<void> {
  mkdirSync(screenshots, { recursive: true });
  const png = await page.screenshot({ path: `${screenshots}${name}.png`, fullPage: true });
  const width = png.readUInt32BE(16); // where a PNG has it
  expect(width, `${name} is wider than the window`).toBe(page.viewportSize()!.width);
}
