import { ConnectionError, ProblemError } from '../client/errors.ts';
import { ConfigError } from '../config.ts';
import { UnfitKey } from '../runtime/anchors/anchor-key.ts';
import { StoreError } from '../store/store-error.ts';
import { FormatError } from './transfer/format.ts';
import { ImportError } from './transfer/import-ledger.ts';

/** What the shell is told: docs/cli.md lists these. */
export const exitCodes = { done: 0, failed: 1, usage: 2, interrupted: 130 } as const;

/** The command was written in a way that cannot be carried out. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** The command was understood, and what it asks for cannot be had. */
export class CommandFailed extends Error {
  override readonly name = 'CommandFailed';
}

/** Why a command came to nothing: what was wrong, and what to do next. */
export interface Failure {
  readonly exitCode: number;
  readonly error: string;
  readonly hints: readonly string[];
  /** More of it for programs. */
  readonly details?: object;
}

const failed = (error: string, hints: readonly string[] = [], details?: object): Failure => ({
  exitCode: exitCodes.failed,
  error,
  hints,
  ...(details && { details }),
});

/** One entry a kind of error; the first that fits explains. */
const explanations: readonly ((error: unknown) => Failure | null)[] = [
  (error) => (error instanceof ProblemError ? problemFailure(error) : null),
  (error) => (error instanceof ConnectionError ? connectionFailure(error) : null),
  (error) => (error instanceof ConfigError ? { exitCode: exitCodes.usage, error: error.message, hints: [] } : null),
  (error) => (error instanceof UsageError ? { exitCode: exitCodes.usage, error: error.message, hints: [] } : null),
  (error) => (isPlain(error) ? failed(error.message) : null),
  (error) =>
    error instanceof FormatError
      ? failed(error.message, ['Get the whole file, unchanged. An import that was begun goes on with --resume.'])
      : null,
  (error) => (isFileError(error) ? failed(`${error.path ?? 'The file'}: ${fileTroubles[error.code]}.`) : null),
];

/** Errors whose message says it all. */
const isPlain = (error: unknown): error is Error =>
  [CommandFailed, StoreError, ImportError, UnfitKey].some((kind) => error instanceof kind);

export function explain(error: unknown): Failure {
  for (const explanation of explanations) {
    const failure = explanation(error);
    if (failure) return failure;
  }
  const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return failed(text, ['This is a fault of the program itself. Please report it with the lines above.']);
}

function problemFailure({ message, status, slug, allowed, errors, problem }: ProblemError): Failure {
  const unsaid = errors.filter(({ detail }) => !message.includes(detail));
  const hints = unsaid.map(({ in: part, pointer, detail }) => `${part} ${pointer}: ${detail}`);
  if (allowed.length > 0) hints.push(`Allowed now: ${allowed.join(', ')}.`);
  const next = nextSteps[status];
  if (next) hints.push(next);
  return failed(`${message} (${status} ${slug})`, hints, { problem });
}

const nextSteps: Readonly<Record<number, string>> = {
  401: 'Give a token with --token or STACKLEDGER_TOKEN.',
  410: 'Its history and its past states stay readable: `stackledger history`, `stackledger replay`.',
};

const connectionFailure = ({ message, url }: ConnectionError): Failure =>
  failed(
    message,
    ['Is the server running there? Start one with `stackledger serve`, or name another with --url or STACKLEDGER_URL.'],
    { url },
  );

const fileTroubles: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file or directory',
  EACCES: 'you may not read or write it',
  EEXIST: 'it is there already; choose another name, or add --force to overwrite it',
  EISDIR: 'it is a directory',
  ENOSPC: 'the disk is full',
};

const isFileError = (error: unknown): error is Error & { code: string; path?: string } =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' && error.code in fileTroubles;
