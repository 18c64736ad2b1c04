import type { Command } from 'commander';
import { renderSettings } from '../../config.ts';

/** Its flags are the settings, which `config.ts` reads and checks; nothing of them is known here. */
export function addServe(program: Command): void {
  program
    .command('serve')
    .summary('run the ledger: its HTTP API, its console, its clock')
    .description('Runs until SIGTERM or Ctrl-C. Every setting can be given as a flag or in the environment.')
    .allowUnknownOption()
    .allowExcessArguments()
    .argument('[settings...]')
    .usage('[--<setting> <value> ...]')
    .addHelpText('after', () => `\nSettings (each is also a variable, such as STACKLEDGER_PORT):\n${settingsHelp()}`)
    .action(async (_settings: string[], _options: object, command: Command) => {
      const { serve } = await import('../../serve.ts');
      await serve(command.args, process.env);
    });
}

/** The table of docs/settings.md as lines. */
function settingsHelp(): string {
  const [, , ...rows] = renderSettings().split('\n');
  return rows.map(settingHelp).join('\n');
}

function settingHelp(row: string): string {
  const [, , flag, byDefault, does] = row.split('|').map((cell) => cell.replaceAll('`', '').trim());
  return `  ${flag}${byDefault ? ` (${byDefault})` : ''}\n      ${does}`;
}
