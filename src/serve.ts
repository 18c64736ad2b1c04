import { ConfigError, loadConfig } from './config.ts';
import { type Stackledger, startStackledger } from './main.ts';
import { AnchorsRefused } from './runtime/anchors/anchor-keeper.ts';
import { StoreError } from './store/store-error.ts';
import { withoutPassword } from './without-password.ts';

/**
 * `stackledger serve`: runs until a signal says to stop. The first one lets what is in flight finish; a second one ends
 * the process at once.
 */
export async function serve(args: readonly string[], environment: NodeJS.ProcessEnv): Promise<void> {
  try {
    const config = loadConfig(args, environment);
    const ledger = await startStackledger(config);
    stopOnSignals(ledger);
    process.on('SIGHUP', () => ledger.reread().catch(complain));
    process.stdout.write(
      `Stackledger listens on ${ledger.url}, keeps ${withoutPassword(config.store)}, explains itself at ${ledger.url}/docs\n`,
    );
  } catch (error) {
    const lines = error instanceof ConfigError ? error.lines : [describe(error)];
    for (const line of lines) process.stderr.write(`stackledger: ${line}\n`);
    process.exitCode = 1;
  }
}

/** What the person who starts it can mend is said in a line; a fault of the program keeps its stack. */
const describe = (error: unknown): string =>
  error instanceof StoreError || error instanceof AnchorsRefused
    ? error.message
    : ((error as Error).stack ?? String(error));

const complain = (error: unknown): void => {
  process.stderr.write(`stackledger: ${describe(error)}\n`);
};

function stopOnSignals(ledger: Stackledger): void {
  let stopping = false;
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.on(signal, () => {
      if (stopping) process.exit(1);
      stopping = true;
      ledger.stop().then(
        () => process.exit(0),
        (error) => {
          complain(error);
          process.exit(1);
        },
      );
    });
  }
}
