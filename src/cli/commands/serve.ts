import type { Command } from 'commander';

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
    .action(async (_settings: string[], _options: object, command: Command) => {
      const { serve } = await import('../../main.ts');
      await serve(command.args, process.env);
    });
}
