import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { ConfigError, loadConfig, renderSettings } from '../src/config.ts';

const linesOf = (args: readonly string[], environment: Record<string, string> = {}): readonly string[] => {
  try {
    loadConfig(args, environment);
  } catch (error) {
    if (error instanceof ConfigError) return error.lines;
    throw error;
  }
  return [];
};

describe('settings', () => {
  test('have defaults that let one start', () => {
    expect(loadConfig([], {})).toMatchObject({
      port: 8642,
      host: '127.0.0.1',
      store: 'sqlite:./data/ledger.db',
      clock: 'system',
      usePendingState: false,
    });
  });

  test('come from the environment, and flags go before it', () => {
    const environment = { STACKLEDGER_PORT: '9000', STACKLEDGER_LOG_LEVEL: 'warn', PATH: '/bin', STACKLEDGER_URL: 'x' };
    expect(loadConfig([], environment)).toMatchObject({ port: 9000, logLevel: 'warn' });
    expect(loadConfig(['--port', '9001'], environment)).toMatchObject({ port: 9001, logLevel: 'warn' });
    expect(loadConfig(['--port=9002'], environment).port).toBe(9002);
  });

  test.each([
    [['--use-pending-state'], {}, true],
    [['--use-pending-state=false'], { STACKLEDGER_USE_PENDING_STATE: 'true' }, false],
    [[], { STACKLEDGER_USE_PENDING_STATE: '1' }, true],
    [[], { STACKLEDGER_USE_PENDING_STATE: '0' }, false],
  ])('switches: %j with %j', (args, environment, expected) => {
    expect(loadConfig(args, environment as Record<string, string>).usePendingState).toBe(expected);
  });

  test('a variable that was emptied switches nothing on', () => {
    const lines = linesOf([], { STACKLEDGER_USE_PENDING_STATE: '' });
    expect(lines).toEqual(['STACKLEDGER_USE_PENDING_STATE: must be true or false, not "".']);
  });

  test('that nobody knows, or that cannot be, are all named at once, a line each', () => {
    const lines = linesOf(['--prot', '--port=x', '--clock', 'sundial', 'extra', '--store'], {
      STACKLEDGER_STORAGE: 'memory:',
      STACKLEDGER_LOG_LEVEL: 'loud',
    });
    expect(lines).toEqual([
      'STACKLEDGER_STORAGE: there is no such setting; docs/settings.md lists them all.',
      '--prot: there is no such flag; docs/settings.md lists them all.',
      'extra: there is no such flag; docs/settings.md lists them all.',
      '--store: needs a value.',
      '--port: must be a whole number, not "x".',
      '--clock: must be system or manual, not "sundial".',
      'STACKLEDGER_LOG_LEVEL: must be a level from silent to trace, not "loud".',
    ]);
  });

  test('that contradict each other are all named at once as well', () => {
    const lines = linesOf(['--host', '0.0.0.0', '--tls-key-file', 'key.pem', '--anchors-file', 'anchors.ndjson']);
    expect(lines).toEqual([
      expect.stringContaining('set STACKLEDGER_TOKENS_FILE or STACKLEDGER_OIDC_ISSUER'),
      expect.stringContaining('set both, or neither'),
      expect.stringContaining('STACKLEDGER_ANCHORS_FILE needs STACKLEDGER_ANCHOR_KEY_FILE'),
    ]);
  });

  test('that hold a password or a token do not show it when they are complained about', () => {
    const passwords = ['s3cret', 's3/cret', 's3@cret', 's3:cret', 's3?cret'];
    for (const password of passwords) {
      const url = `esbd://admin:${password}@n1:2113`;
      expect(linesOf(['--store', url])).toEqual([
        '--store: must be sqlite:<path>, memory: or esdb://<host>, not "esbd://admin:***@n1:2113".',
      ]);
      expect(linesOf([url])).toEqual([
        'esbd://admin:***@n1:2113: there is no such flag; docs/settings.md lists them all.',
      ]);
    }
    expect(linesOf([], { STACKLEDGER_NOVA_NOTIFY_TOKEN: 'to ken' })).toEqual([
      'STACKLEDGER_NOVA_NOTIFY_TOKEN: must be printable, without blanks.',
    ]);
  });

  test.each(['-1', '65536', '80.5', '8e3', ' 80', '', '0x50', '99999999999999999'])('a port is not %j', (port) => {
    expect(linesOf(['--port', port])).toHaveLength(1);
  });

  test.each(['postgres://x', 'sqlite:', 'memory', 'ledger.db', ''])('a store is not %j', (store) => {
    expect(linesOf(['--store', store])).toHaveLength(1);
  });

  test.each(['0.0.0.0', '::', '192.168.1.5', 'ledger.example.org', '127.evil.example'])(
    'without tokens nobody else on the network may come in: %s',
    (host) => {
      expect(linesOf(['--host', host])).toEqual([expect.stringContaining('STACKLEDGER_TOKENS_FILE')]);
      expect(linesOf(['--host', host, '--tokens-file', 'tokens.json'])).toEqual([]);
    },
  );

  test.each(['127.0.0.1', '127.1.2.3', '::1', 'localhost'])('%s is this machine alone', (host) => {
    expect(linesOf(['--host', host])).toEqual([]);
  });

  test('are all in docs/settings.md, as they are', () => {
    const page = readFileSync(new URL('../docs/settings.md', import.meta.url), 'utf8');
    expect(page).toContain(renderSettings());
  });
});
