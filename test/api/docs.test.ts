import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { engine } from '../support/engine.ts';
import { startLedger } from './support.ts';

/** Positions are numbered from one on in a file and in memory, as the page shows them; elsewhere the nth event's is asked for. */
const nthPosition = `nth() { curl -s "$LEDGER/v1/events?limit=$1" | grep -oE '"position":"[0-9]+"' | tail -1 | tr -dc 0-9; }`;

const asPositionsAre = (script: string): string =>
  engine === 'esdb' ? `${nthPosition}\n${script.replace(/at=00+(\d+)"/g, 'at=$(nth $1)"')}` : script;

test('the lines of docs/http-api.md work as they are written', async () => {
  const { url, get } = await startLedger(['--read-wait-ms', '30000']);
  const page = readFileSync(new URL('../../docs/http-api.md', import.meta.url), 'utf8');
  const script = [...page.matchAll(/^```sh\n(.*?)^```/gms)].map(([, lines]) => lines).join('\necho\n');
  const lines = asPositionsAre(script).replaceAll('http://localhost:8642', url);
  const shell = spawn('bash', ['-eu', '-o', 'pipefail', '-c', lines]);
  let output = '';
  shell.stdout.setEncoding('utf8').on('data', (text) => {
    output += text;
  });
  const [code] = await once(shell, 'close');
  expect(code).toBe(0);

  const refused = [...output.matchAll(/\/problems\/([a-z-]+)/g)].map(([, slug]) => slug);
  expect(refused).toEqual(['unknown-command', 'port-blocked']);
  expect(output).toContain('HTTP/1.1 304 Not Modified');
  expect(output).toContain('event: caught-up');
  expect(output).toContain('event: snapshot');
  expect(output).toContain('{"now":"2026-01-01T00:01:15.000Z"}');
  const { events } = (await get('/v1/events')).body;
  expect(events.map(({ type }: { type: string }) => type)).toEqual([
    'PortCreated',
    'ProvisioningComponentAdded',
    'PortUpdated',
    'PortCreated',
    'PortUpdated',
  ]);
  expect(events[2].metadata).toMatchObject({ actor: { id: 'olga' }, $correlationId: 'ticket-4711' });
});
