import { createInterface } from 'node:readline/promises';
import type { Command } from 'commander';
import { hashToken } from '../../api/tokens.ts';
import { UsageError } from '../failure.ts';
import { Terminal } from '../terminal.ts';

export function addToken(program: Command): void {
  program
    .command('token')
    .description('What belongs to the tokens file.')
    .command('hash')
    .summary('hash a token for the tokens file')
    .description(
      'Prints what belongs into "sha256" of the tokens file. Without an argument the token is read from standard input, and\n' +
        'so stays out of the history of your shell.',
    )
    .argument('[token]', 'the token')
    .action(async (given: string | undefined, _options: object, command: Command) => {
      const terminal = Terminal.of(command);
      const token = given ?? (await readToken());
      if (!/^\S+$/.test(token))
        throw new UsageError('A token is at least one character, without spaces or line breaks.');
      const sha256 = hashToken(token);
      if (terminal.json) terminal.document({ sha256 });
      else terminal.print(sha256);
    });
}

/** The first line of standard input. */
async function readToken(): Promise<string> {
  const lines = createInterface({ input: process.stdin, output: process.stderr, terminal: false });
  if (process.stdin.isTTY) process.stderr.write('Token: ');
  try {
    for await (const line of lines) return line.trim();
    return '';
  } finally {
    lines.close();
  }
}
