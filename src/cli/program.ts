import { readFileSync } from 'node:fs';
import { Command, Option } from 'commander';
import { addArchive } from './commands/archive.ts';
import { addBackup } from './commands/backup.ts';
import { addCompact } from './commands/compact.ts';
import { addDemo } from './commands/demo.ts';
import { addDoctor } from './commands/doctor.ts';
import { addExport } from './commands/export.ts';
import { addHistory } from './commands/history.ts';
import { addImport } from './commands/import.ts';
import { addIngest } from './commands/ingest.ts';
import { addReplay } from './commands/replay.ts';
import { addServe } from './commands/serve.ts';
import { addTail } from './commands/tail.ts';
import { addToken } from './commands/token.ts';
import { addVerify } from './commands/verify.ts';
import { addWhy } from './commands/why.ts';

/** Every command there is, in the order in which the help lists them. */
const commands = [
  addServe,
  addDemo,
  addWhy,
  addDoctor,
  addHistory,
  addReplay,
  addTail,
  addVerify,
  addBackup,
  addArchive,
  addCompact,
  addExport,
  addImport,
  addIngest,
  addToken,
];

/** The command line as commander knows it. What fails is thrown. */
export function createProgram(): Command {
  const program = new Command('stackledger')
    .description('Decides, records and explains the status of cloud resources.')
    .version(ownVersion(), '--version', 'print the version')
    .helpOption('-h, --help', 'print this')
    .addOption(new Option('--url <url>', 'the server to ask').env('STACKLEDGER_URL').default('http://127.0.0.1:8642'))
    .addOption(new Option('--token <token>', 'the token to show it').env('STACKLEDGER_TOKEN'))
    .option('--json', 'answer in JSON, for programs')
    .showHelpAfterError('(`stackledger --help` says what there is.)')
    .addHelpText('after', '\nExit codes: 0 done, 1 failed or faults found, 2 not understood, 130 interrupted.');
  program.exitOverride();
  for (const add of commands) add(program);
  return program;
}

const ownVersion = (): string => {
  const text = readFileSync(new URL('../../package.json', import.meta.url), 'utf8');
  return (JSON.parse(text) as { version: string }).version;
};
