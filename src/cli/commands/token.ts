import { createInterface } from 'node:readline/promises';
import type { Command } from 'commander';
import { hashPassword } from '../../api/access/passwords.ts';
import { hashToken } from '../../api/access/tokens.ts';
import { UsageError } from '../failure.ts';
import { Terminal } from '../terminal.ts';

export function addToken(program: Command): void {
  program
    .command('token')
    .description('What belongs to the tokens file.')
    .command('hash')
    .summary('hash a token, a secret or a password for the tokens file')
    .description(
      'Prints what belongs into "sha256" of the tokens file: of a token, or of the secret of an application credential. ' +
        'Without an argument it is read from standard input, and so stays out of the history of your shell.',
    )
    .argument('[token]', 'the token')
    .option('--password', 'what is given is a password: print what belongs into "password"')
    .action(async (given: string | undefined, options: { password?: true }, command: Command) => {
      const terminal = Terminal.of(command);
      const token = given ?? (await readToken());
      if (options.password) {
        if (token === '') throw new UsageError('A password is at least one character.');
        const password = await hashPassword(token);
        if (terminal.json) terminal.document({ password });
        else terminal.print(password);
        return;
      }
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
