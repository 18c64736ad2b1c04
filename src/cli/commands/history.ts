import type { Command } from 'commander';
import type { HistoryEntry } from '../../client/answers.ts';
import type { Kind } from '../../domain/kernel/resource.ts';
import { HistoryLines } from '../output/history.ts';
import { type GlobalOptions, Terminal } from '../terminal.ts';
import { clientFor, parseCount, parseKind } from './options.ts';

interface HistoryOptions extends GlobalOptions {
  readonly last?: number;
}

export function addHistory(program: Command): void {
  program
    .command('history')
    .summary('what happened to a resource: when, by whom, and how long each status lasted')
    .description(
      'Lists the events of a resource, oldest first, with who caused each and how long the status before had lasted. ' +
        'Works after the resource was deleted. With --json: an entry a line.',
    )
    .argument('<kind>', 'port, server, node, agent or network', parseKind)
    .argument('<id>', 'its id')
    .option('-n, --last <count>', 'only so many of the newest events', parseCount)
    .action(async (kind: Kind, id: string, _options: HistoryOptions, command: Command) => {
      const terminal = Terminal.of(command);
      const options = command.optsWithGlobals<HistoryOptions>();
      const resource = clientFor(options)[kind](id);
      const entries = options.last ? lastOf(resource.history({ order: 'desc' }), options.last) : resource.history();
      const lines = new HistoryLines(terminal.style, terminal.width);
      for await (const entry of entries) {
        if (terminal.json) terminal.document(entry);
        else terminal.print(...lines.entry(entry));
      }
    });
}

/** The newest entries, oldest first. */
async function* lastOf(newestFirst: AsyncIterable<HistoryEntry>, count: number): AsyncGenerator<HistoryEntry> {
  const entries: HistoryEntry[] = [];
  for await (const entry of newestFirst) if (entries.push(entry) === count) break;
  yield* entries.reverse();
}
