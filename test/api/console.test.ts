import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { beforeAll, describe, expect, test } from 'vitest';
import { buildConsole, consoleFolder } from '../support/built-console.ts';
import { portId, sharedLedger, slugOf } from './support.ts';

/** What browsers send when somebody follows a link. */
const browser = { accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8' };

describe('the console', () => {
  beforeAll(buildConsole);
  const shared = sharedLedger();

  test.each(['/', '/ports', `/ports/${portId}?at=57`, '/agents/compute-1%3ADHCP%20agent', '/operations/x', '/doctor'])(
    'can be opened at %s, which is asked for anew each time and runs no foreign script',
    async (path) => {
      const { get } = shared();
      const page = await get(path, browser);
      expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
      expect(page.headers.get('cache-control')).toBe('no-cache');
      const policy = page.headers.get('content-security-policy')!;
      expect(policy).toContain("default-src 'none'; script-src 'self'");
      expect(policy).not.toContain('unsafe');
      expect(page.text).not.toMatch(/<script(?![^>]*src=)|<style|style="|\son\w+=/);
    },
  );

  test('has files whose names change with what is in them, and that are kept for ever', async () => {
    const { get } = shared();
    const { text } = await get('/', browser);
    const files = [...text.matchAll(/(?:src|href)="(\/assets\/[^"]+)"/g)].map(([, file]) => file!);
    expect(files.length).toBeGreaterThanOrEqual(2);
    for (const file of files) {
      const { status, headers } = await get(file);
      expect([file, status, headers.get('cache-control')]).toEqual([file, 200, 'public, max-age=31536000, immutable']);
      expect(file).toMatch(/-[\w-]{8}\.\w+$/);
    }
  });

  test.each(['/assets/nothing.js', '/assets/..%2findex.html', '/assets/.%2e%2f%2e%2e%2fcli%2fmain.js'])(
    'gives away nothing else: %s',
    async (path) => {
      const answer = await shared().get(path);
      expect([answer.status, slugOf(answer)]).toEqual([404, 'unknown-path']);
    },
  );

  test('leaves the paths of programs as they were', async () => {
    const { get } = shared();
    const missing = await get(`/v1/ports/${portId}`, browser);
    expect([missing.status, slugOf(missing)]).toEqual([404, 'port-not-found']);
    const unknown = await get('/prots', browser);
    expect([unknown.status, slugOf(unknown)]).toEqual([404, 'unknown-path']);
    const asData = await get('/ports', { accept: 'application/json' });
    expect([asData.status, slugOf(asData)]).toEqual([406, 'not-acceptable']);
  });

  test('is small: under 250 kB on the wire', () => {
    const assets = join(consoleFolder, 'assets');
    const sizes = readdirSync(assets).map((file) => gzipSync(readFileSync(join(assets, file))).length);
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(250_000);
  });
});
