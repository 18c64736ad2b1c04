import { InvalidArgumentError, Option } from 'commander';
import { type Client, type ClientOptions, createClient } from '../../client/client.ts';
import { type Kind, kinds } from '../../domain/kernel/resource.ts';
import { ledgerFileOf } from '../../store/open-store.ts';
import { withoutPassword } from '../../without-password.ts';
import { UsageError } from '../failure.ts';
import type { GlobalOptions } from '../terminal.ts';

export const storeOption = (): Option =>
  new Option('--store <store>', 'the ledger: sqlite:<path> or esdb://<host>')
    .env('STACKLEDGER_STORE')
    .default('sqlite:./data/ledger.db');

/** The file of a ledger, for what is done to files. @throws UsageError where it is kept in none */
export function ledgerFile(url: string): string {
  const file = ledgerFileOf(url);
  if (file !== null) return file;
  throw new UsageError(
    `This works on the file of a ledger, as in sqlite:./data/ledger.db; ${withoutPassword(url)} has none.`,
  );
}

export function parseKind(text: string): Kind {
  if (kinds.includes(text as Kind)) return text as Kind;
  throw new InvalidArgumentError(`The kinds are ${kinds.join(', ')}.`);
}

export function parseCount(text: string): number {
  const count = Number(text);
  if (Number.isSafeInteger(count) && count > 0) return count;
  throw new InvalidArgumentError('It must be a whole number from 1 on.');
}

/** Collects an option that may come several times. */
export const collect =
  <T>(parse: (text: string) => T) =>
  (text: string, before: readonly T[] = []): readonly T[] => [...before, parse(text)];

/** @throws UsageError for an address with a password, which would stand in every message */
export function clientFor(
  { url, token }: Pick<GlobalOptions, 'url' | 'token'>,
  more: Pick<ClientOptions, 'actor' | 'retry'> = { retry: { attempts: 3 } },
): Client {
  const shown = withoutPassword(url);
  if (shown !== url)
    throw new UsageError(`${shown} has a password in it; leave it out, and give a token with --token.`);
  return createClient({ baseUrl: url, ...(token !== undefined && { token }), ...more });
}

/** Aborts at Ctrl-C, so that the loop ends where it is. A second one ends the process the hard way. */
export function interrupted(): AbortSignal {
  const controller = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => controller.abort());
  return controller.signal;
}
