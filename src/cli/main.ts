#!/usr/bin/env node
import { CommanderError } from 'commander';
import { exitCodes, explain } from './failure.ts';
import { createProgram } from './program.ts';
import { Terminal } from './terminal.ts';

// Whoever reads the output may stop before its end, as `head` does: that is no failure.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit(exitCodes.done);
  throw error;
});

const program = createProgram();
try {
  await program.parseAsync();
} catch (error) {
  process.exitCode = reportFailure(error);
}

function reportFailure(error: unknown): number {
  // Commander has printed already what was wrong with the line, or the help that was asked for.
  if (error instanceof CommanderError) return error.exitCode === 0 ? exitCodes.done : exitCodes.usage;
  const failure = explain(error);
  new Terminal(program.opts<{ json?: boolean }>().json === true).fail(failure);
  return failure.exitCode;
}
