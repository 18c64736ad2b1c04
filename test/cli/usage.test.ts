import { hash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { Command } from 'commander';
import { describe, expect, it, vi } from 'vitest';
import { createProgram } from '../../src/cli/program.ts';
import { patient, run } from './run.ts';

vi.setConfig(patient);

describe('somebody who does not know the command line', () => {
  it('is told what there is', async () => {
    const { code, stdout } = await run(['--help']);
    expect(code).toBe(0);
    for (const command of ['serve', 'history', 'replay', 'tail', 'verify', 'export', 'import', 'token'])
      expect(stdout).toMatch(new RegExp(`^  ${command} `, 'm'));
  });

  it('reads texts that are broken where the terminal ends, and nowhere else', () => {
    const every = (command: Command): Command[] => [command, ...command.commands.flatMap(every)];
    const broken = every(createProgram()).filter((command) => /[^\n]\n[^\n]/.test(command.description()));
    expect(broken.map((command) => command.name())).toEqual([]);
  });

  it('is told what can be set', async () => {
    const { code, stdout } = await run(['serve', '--help']);
    expect(code).toBe(0);
    expect(stdout).toContain('  --port (8642)\n      Port to listen on; 0 takes any free one.\n');
  });

  it.each<[string, string[], RegExp]>([
    ['a command there is not', ['histroy'], /^error: unknown command 'histroy'\n\(Did you mean history\?\)/],
    [
      'a kind there is not',
      ['history', 'ports', 'x'],
      /argument 'kind'.* The kinds are port, server, node, agent, network\./,
    ],
    ['no id', ['history', 'port'], /^error: missing required argument 'id'/],
    ['no file', ['export'], /^error: required option '--to <file>' not specified/],
    ['a moment there cannot be', ['replay', 'port', 'x', '--at', 'yesterday'], /It must be a revision \(4\), a time/],
    [
      'a position there cannot be',
      ['tail', '--after', 'now'],
      /It must be a position as events carry it, or "start"\./,
    ],
    ['a count that is none', ['history', 'port', 'x', '--last', '0'], /It must be a whole number from 1 on\./],
  ])('who writes %s is told, and the exit code is 2', async (_, args, message) => {
    const { code, stdout, stderr } = await run(args);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toMatch(message);
  });
});

describe('a server that cannot be asked', () => {
  const nowhere = { STACKLEDGER_URL: 'http://127.0.0.1:9' };

  it('since nobody listens there, is named, with what to do', async () => {
    const { code, stdout, stderr } = await run(['history', 'port', 'x'], { env: nowhere });
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toMatch(/^stackledger: No answer from http:\/\/127\.0\.0\.1:9\/v1\/ports\/x\/history/);
    expect(stderr).toContain('Start one with `stackledger serve`, or name another with --url or STACKLEDGER_URL.');
  });

  it('is an object for programs', async () => {
    const { code, stderr } = await run(['tail', '--json'], { env: nowhere });
    expect(code).toBe(1);
    expect(JSON.parse(stderr)).toMatchObject({
      error: expect.stringContaining('No answer'),
      hints: [expect.any(String)],
    });
  });
});

describe('stackledger token hash', () => {
  const sha256 = hash('sha256', 's3cret', 'hex');

  it('hashes the token it is given', async () => {
    expect(await run(['token', 'hash', 's3cret'])).toEqual({ code: 0, stdout: `${sha256}\n`, stderr: '' });
  });

  it('reads it from standard input, so that no shell remembers it', async () => {
    const { code, stdout } = await run(['token', 'hash', '--json'], { input: 's3cret\n' });
    expect({ code, ...JSON.parse(stdout) }).toEqual({ code: 0, sha256 });
  });

  it('takes no token that could not be sent', async () => {
    const { code, stderr } = await run(['token', 'hash'], { input: '' });
    expect(code).toBe(2);
    expect(stderr).toBe('stackledger: A token is at least one character, without spaces or line breaks.\n');
  });
});

it('stackledger --version is that of the package', async () => {
  const { version } = JSON.parse(await readFile('package.json', 'utf8'));
  expect(await run(['--version'])).toEqual({ code: 0, stdout: `${version}\n`, stderr: '' });
});

it('a password in an address is not shown where that address is complained about', async () => {
  const told = await Promise.all([
    run(['verify', '--store', 'esbd://admin:s3cret@n1:2113']),
    run(['ingest', '/dev/null', '--url', 'http://admin:s3cret@127.0.0.1:1']),
  ]);
  for (const { code, stdout, stderr } of told) {
    expect(code).not.toBe(0);
    expect(stdout + stderr).not.toContain('s3cret');
    expect(stderr).toContain('admin:***@');
  }
});
