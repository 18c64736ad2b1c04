import { type Command, InvalidArgumentError } from 'commander';
import type { HistoryEntry } from '../../client/answers.ts';
import type { Kind } from '../../domain/kernel/resource.ts';
import { CommandFailed } from '../failure.ts';
import { HistoryLines } from '../output/history.ts';
import { PatchedState } from '../output/patch.ts';
import { type GlobalOptions, Terminal } from '../terminal.ts';
import { clientFor, parseKind } from './options.ts';

interface ReplayOptions extends GlobalOptions {
  readonly at?: Moment;
}

/** Whether an entry lies at or before the moment asked for. */
type Moment = (entry: HistoryEntry) => boolean;

export function addReplay(program: Command): void {
  program
    .command('replay')
    .summary('what each event changed in a resource, and its state at a moment of the past')
    .description(
      'Goes through the events of a resource up to a moment, shows what each of them changed, and then the state they led ' +
        'to. With --json: an entry a line, then a line with the state.',
    )
    .argument('<kind>', 'port, server, node, agent or network', parseKind)
    .argument('<id>', 'its id')
    .option('--at <moment>', 'a revision (4), a time (2026-01-31T12:00:00Z) or a position (16 digits)', parseMoment)
    .action(async (kind: Kind, id: string, _options: ReplayOptions, command: Command) => {
      const terminal = Terminal.of(command);
      const { at = always, ...options } = command.optsWithGlobals<ReplayOptions>();
      const lines = new HistoryLines(terminal.style, terminal.width);
      const state = new PatchedState();
      let last: HistoryEntry | null = null;
      for await (const entry of clientFor(options)[kind](id).history({ diff: true })) {
        if (!at(entry)) break;
        last = entry;
        const changes = state.apply(entry.patch ?? []);
        if (terminal.json) terminal.document(entry);
        else terminal.print(...lines.entry(entry, changes));
      }
      if (!last) throw new CommandFailed(`The ${kind} ${id} did not exist yet at that moment.`);
      const { revision, position, time } = last;
      if (terminal.json) terminal.document({ revision, position, time, state: state.state });
      else terminal.print('', `The ${kind} at revision ${revision}:`, JSON.stringify(state.state, null, 2));
    });
}

const always: Moment = () => true;

function parseMoment(text: string): Moment {
  if (/^\d{16}$/.test(text)) return ({ position }) => position <= text;
  if (/^\d{1,15}$/.test(text)) return ({ revision }) => revision <= Number(text);
  const time = Date.parse(text);
  if (/^\d{4}-\d{2}-\d{2}/.test(text) && !Number.isNaN(time)) return (entry) => Date.parse(entry.time) <= time;
  throw new InvalidArgumentError('It must be a revision (4), a time (2026-01-31T12:00:00Z) or a position (16 digits).');
}
