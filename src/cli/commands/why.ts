import type { Command } from 'commander';
import type { Kind } from '../../domain/kernel/resource.ts';
import { WhyLines } from '../output/why.ts';
import { type GlobalOptions, Terminal } from '../terminal.ts';
import { clientFor, parseKind } from './options.ts';

interface WhyOptions extends GlobalOptions {
  readonly at?: string;
}

export function addWhy(program: Command): void {
  program
    .command('why')
    .summary('why a resource is as it is: what it waits for, since when, and who can lift it')
    .description(
      'Tells what a resource waits for, down to the bottom: each condition with since when, whose part it is, whether it ' +
        'can still be lifted, and the events that prove it. Works after the resource was deleted, and for any past moment.',
    )
    .argument('<kind>', 'port, server, node, agent or network', parseKind)
    .argument('<id>', 'its id')
    .option('--at <moment>', 'as it was then: a revision, a position or an RFC 3339 time')
    .action(async (kind: Kind, id: string, _options: WhyOptions, command: Command) => {
      const terminal = Terminal.of(command);
      const { at, ...options } = command.optsWithGlobals<WhyOptions>();
      const why = await clientFor(options)
        [kind](id)
        .why(at === undefined ? {} : { at });
      if (terminal.json) terminal.document(why);
      else terminal.print(...new WhyLines(terminal.style, options.url).lines(why));
    });
}
