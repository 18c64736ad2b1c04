import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { hashToken } from '../../src/api/access/tokens.ts';
import { chromium, describeWith } from '../support/external.ts';
import { type Scheme, sharedBrowser, takeScreenshot } from './browser.ts';
import {
  agentId,
  ingestTrace,
  mendStuckServer,
  openSite,
  playDemo,
  playStuckServer,
  portId,
  type Site,
  serverId,
} from './site.ts';
import { violations } from './violations.ts';

describeWith(chromium, 'at 3 a.m., in front of the console', () => {
  const open = sharedBrowser();
  let site: Site;
  let observedId: string;
  const demoNode = '/nodes/7c1f5a0e-52b4-4c1e-9d39-8f6f3f1b7a21';

  beforeAll(async () => {
    site = await openSite();
    await playDemo(site);
    await playStuckServer(site);
    observedId = await ingestTrace(site);
  });
  afterAll(() => site?.stop());

  test.each<[Scheme, number]>([
    ['light', 1440],
    ['dark', 1440],
    ['light', 900],
    ['dark', 900],
  ])(
    'every screen can be read by everybody: %s, %i pixels',
    async (scheme, width) => {
      const { page, close } = await open(scheme, width);
      const { events } = await site.client.server(serverId).historyPage();
      const { correlationId } = events.find(({ type }) => type === 'BuildAttemptStarted')!.cause;
      const screens: readonly (readonly [name: string, path: string, shown: string])[] = [
        ['overview', '/', 'L2 from host compute-2'],
        ['list', '/ports?status=BUILD&status=DOWN', 'waits for L2'],
        ['empty-list', '/ports?status=ERROR', 'No port is so.'],
        ['port', `/ports/${portId}`, 'Nobody can clear it'],
        ['server', `/servers/${serverId}`, 'What it depends on'],
        ['observed', `/servers/${observedId}`, 'ServerStateChanged'],
        ['node', demoNode, 'Allowed now'],
        ['node-then', `${demoNode}?at=22`, 'Event 23 of'],
        ['operation', `/operations/${correlationId}`, 'BuildAttemptStarted'],
        ['doctor', '/doctor', 'block nobody can clear'],
        ['search', '/search?q=web', 'web-9-eth0'],
      ];
      for (const [name, path, shown] of screens) {
        await page.goto(`${site.url}${path}`);
        await page.getByText(shown).first().waitFor();
        await takeScreenshot(page, `${name}-${scheme}-${width}`);
        if (width === 1440) expect(await violations(page, scheme), name).toEqual([]);
      }
      await close();
    },
    120_000,
  );

  test('whoever has no mouse gets everywhere', async () => {
    const { page, close } = await open();
    const keys = page.keyboard;
    await page.goto(site.url);
    await page.getByText('L2 from host compute-2').waitFor();
    await keys.press('/');
    await keys.type('rack-7-u12');
    await keys.press('Enter');
    await page.getByRole('heading', { name: /Event \d+ of/ }).waitFor();
    const revision = (): string | null => new URL(page.url()).searchParams.get('at');

    const latest = (await site.client.node(demoNode.slice('/nodes/'.length)).state()).revision;
    await keys.press('k');
    expect(revision()).toBe(String(latest - 1));
    await keys.press('j');
    expect(revision()).toBe(String(latest));
    await keys.press('[');
    await page.getByRole('heading', { name: 'NodeProvisionStateChanged' }).waitFor();
    const change = revision();
    await keys.press('[');
    await keys.press(']');
    expect(revision()).toBe(change);

    await page.getByRole('slider').focus();
    await keys.press('Home');
    await page.getByRole('heading', { name: 'NodeEnrolled' }).waitFor();
    expect(revision()).toBe('0');

    await keys.press('w');
    expect(await page.locator(':focus').textContent()).toContain('Why');
    await keys.press('l');
    await page.getByRole('button', { name: 'live', pressed: true }).waitFor();
    await keys.press('?');
    await page.getByRole('dialog').waitFor();
    await keys.press('Escape');
    expect(await page.getByRole('dialog').count()).toBe(0);

    // From the very top, Tab reaches the content, and what has the focus shows it.
    await page.goto(site.url);
    await page.getByText('L2 from host compute-2').waitFor();
    const outlines: string[] = [];
    for (let press = 0; press < 12; press++) {
      await keys.press('Tab');
      outlines.push(await page.evaluate<string>('getComputedStyle(document.activeElement).outlineStyle'));
    }
    expect(new Set(outlines)).toEqual(new Set(['solid']));
    await close();
  });

  test('ids and times are copied whole, and the cursor is moved by a click', async () => {
    const { page, close } = await open();
    await page.goto(`${site.url}/ports/${portId}?at=0`);
    await page.getByRole('button', { name: 'copy the whole id' }).first().click();
    await page.getByText('copied').first().waitFor();
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe(portId);
    const when = page.locator('.facts').getByRole('button', { name: 'copy the exact time' }).first();
    expect(await when.getAttribute('title')).toContain('2026-01-01 04:09:33.000 UTC');

    // The mouse moves the cursor to the event it points at.
    const track = (await page.locator('.track').boundingBox())!;
    await page.mouse.click(track.x + track.width - 4, track.y + 12);
    const { revision } = (await site.client.port(portId).state()).state;
    await expect.poll(() => new URL(page.url()).searchParams.get('at')).toBe(String(revision));
    await close();
  });

  test('a line that breaks takes nothing away, and is tried again with a count', async () => {
    const { page, close } = await open();
    await page.goto(`${site.url}/ports/${portId}`);
    await page.getByText('Nobody can clear it').first().waitFor();
    await page.route('**/v1/**', (route) => route.abort());
    await page.keyboard.press('k');
    await page
      .getByText(/Trying again in \d+ s/)
      .first()
      .waitFor();
    await page.getByText('Nobody can clear it').first().waitFor();
    await page.unroute('**/v1/**');
    await expect.poll(() => page.getByRole('alert').count(), { timeout: 20_000 }).toBe(0);
    await page.getByText('As it was at event').waitFor();
    await close();
  });

  test('a stuck server is found in two clicks, understood, looked at as it was, and seen to recover', async () => {
    const { page, close } = await open();
    await page.goto(site.url);
    await page.getByText('network-vif-plugged').first().waitFor();
    await page.getByRole('link', { name: 'web-9', exact: true }).first().click();

    const why = page.getByRole('complementary', { name: /Why/ });
    await why.getByText('It waits for network-vif-plugged').first().waitFor();
    await why
      .getByText(/Open vSwitch agent on compute-9 is dead/)
      .first()
      .waitFor();
    expect(await why.textContent()).toMatch(/silent 2 min/);

    // Back to before it began to wait: then nothing was wrong with the port.
    const awaited = why.getByRole('link', { name: 'ExternalEventsAwaited' });
    await awaited.click();
    await page.getByRole('heading', { name: 'ExternalEventsAwaited' }).waitFor();
    await why.getByText('As it was at event').waitFor();
    await page.keyboard.press('k');
    await expect.poll(() => why.textContent()).not.toContain('network-vif-plugged');
    await takeScreenshot(page, 'stuck-server-before');

    // What comes now does not move what is looked at.
    const before = page.url();
    await mendStuckServer(site);
    await page.getByRole('button', { name: /\d+ new/ }).waitFor();
    expect(page.url()).toBe(before);
    await page.keyboard.press('l');
    await page.getByRole('heading', { name: 'Why ACTIVE' }).waitFor();
    await page.locator('.resource-now').getByText('ACTIVE').waitFor();
    await takeScreenshot(page, 'stuck-server-mended');

    // And on, while it is followed: nobody presses anything.
    await site.tell('server', serverId, { type: 'StopServer', data: {} });
    await page.getByRole('heading', { name: /powering-off|ServerActionStarted|ServerStateChanged/ }).waitFor();
    await site.tell('agent', agentId, { type: 'Heartbeat', data: {} });
    await close();
  });
});

describeWith(chromium, 'the console of a ledger with tokens, in which nothing has happened', () => {
  const open = sharedBrowser();

  test('asks who is there, keeps the token in the tab, and says how to begin', async () => {
    const token = 'a-token-of-the-operator-on-duty';
    const site = await openSite(['--tokens-file', tokensFile(token)], token);
    const { page, close } = await open();
    await page.goto(site.url);
    await page.getByRole('heading', { name: 'This ledger asks for a token' }).waitFor();
    await takeScreenshot(page, 'token');
    await page.getByLabel('Token').fill('wrong');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'That token does not count here' }).waitFor();
    await page.getByLabel('Token').fill(token);
    await page.keyboard.press('Enter');
    await page.getByText('Nothing has happened here yet').waitFor();
    expect(await page.getByText(/curl .*CreatePort/).textContent()).toContain(`${site.url}/v1/ports`);
    await takeScreenshot(page, 'empty');
    expect(await violations(page, 'light')).toEqual([]);

    await page.reload();
    await page.getByText('Nothing has happened here yet').waitFor();

    // A long life: more events than fit, drawn as density until somebody looks closer.
    await site.tell('port', portId, { type: 'CreatePort', data: { name: 'p0' } });
    const renames = Array.from(
      { length: 1500 },
      (_, n) => ({ kind: 'port', id: portId, type: 'UpdatePort', data: { name: `p${n + 1}` } }) as const,
    );
    for await (const verdict of site.client.commands(renames)) expect(verdict.done).toBe(true);
    await page.getByText('1 port', { exact: false }).first().waitFor();
    await page.goto(`${site.url}/ports/${portId}`);
    await page.getByRole('heading', { name: 'Event 1501 of 1501' }).waitFor();
    await page.getByRole('button', { name: '1,001 earlier' }).waitFor();
    expect(await page.locator('.density').count()).toBeGreaterThan(0);
    await takeScreenshot(page, 'long-history');
    await page.getByRole('slider').focus();
    await page.keyboard.press('ArrowLeft');
    await page.getByRole('heading', { name: 'Event 1500 of 1501' }).waitFor();
    expect(await page.locator('.density').count()).toBe(0);
    await page.keyboard.press('PageDown');
    await page.getByRole('heading', { name: 'Event 1490 of 1501' }).waitFor();
    await page.getByRole('button', { name: /^DOWN for .*: go there$/ }).click();
    await page.getByRole('heading', { name: /^Event \d+ of 1501$/ }).waitFor();
    await page.goto(`${site.url}/ports/${portId}?at=700`);
    await page.getByRole('heading', { name: 'Event 701 of 1501' }).waitFor();
    await page.getByText('p700').first().waitFor();
    await page.goto(`${site.url}/ports/${portId}?at=2025-12-31T00:00:00Z`);
    await page.getByRole('alert').getByText('did not exist yet').last().waitFor();
    await close();
    await site.stop();
  });
});

function tokensFile(token: string): string {
  const file = join(mkdtempSync(join(tmpdir(), 'stackledger-')), 'tokens.json');
  writeFileSync(file, JSON.stringify({ tokens: [{ name: 'olga', sha256: hashToken(token), roles: ['admin'] }] }));
  return file;
}
