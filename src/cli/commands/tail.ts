import { type Command, InvalidArgumentError } from 'commander';
import type { LedgerEvent } from '../../client/answers.ts';
import type { Kind } from '../../domain/kernel/resource.ts';
import { startPosition } from '../../store/event-store.ts';
import { exitCodes } from '../failure.ts';
import { formatDuration } from '../output/duration.ts';
import { describeActor } from '../output/history.ts';
import type { Style } from '../output/style.ts';
import { type GlobalOptions, Terminal } from '../terminal.ts';
import { clientFor, collect, interrupted, parseKind } from './options.ts';

interface TailOptions extends GlobalOptions {
  readonly after?: string;
  readonly kind?: readonly Kind[];
  readonly type?: readonly string[];
  readonly id?: string;
}

export function addTail(program: Command): void {
  program
    .command('tail')
    .summary('show events as they are recorded')
    .description(
      'Follows the ledger from now on, or from a position on, until it is interrupted. Goes on by itself, without loss or ' +
        'repeat, where the connection was lost. With --json: an event a line.',
    )
    .option('--after <position>', 'also what was recorded after this position; "start" for everything', parseAfter)
    .option('--kind <kind>', 'only events of this kind of resource; repeatable', collect(parseKind))
    .option('--type <type>', 'only events of this type; repeatable', collect(String))
    .option('--id <id>', 'only events of the resource with this id')
    .action(async (_options: TailOptions, command: Command) => {
      const terminal = Terminal.of(command);
      const { after, kind, type, id, ...options } = command.optsWithGlobals<TailOptions>();
      const client = clientFor(options);
      const events = client.events({
        after: after ?? (await client.position()),
        ...(kind && { kind }),
        ...(type && { type }),
        ...(id !== undefined && { id }),
        signal: interrupted(),
        onDisconnect: (error, retryInMs) =>
          terminal.note(`stackledger: ${error.message} Trying again in ${formatDuration(retryInMs)}.`),
      });
      for await (const event of events) {
        if (terminal.json) terminal.document(event);
        else terminal.print(eventLine(event, terminal.style));
      }
      process.exitCode = exitCodes.interrupted;
    });
}

function parseAfter(text: string): string {
  if (text === 'start') return startPosition;
  if (/^\d{1,16}$/.test(text)) return text.padStart(16, '0');
  throw new InvalidArgumentError('It must be a position as events carry it, or "start".');
}

function eventLine({ time, resource, stream, type, metadata }: LedgerEvent, { bold, dim }: Style): string {
  const [kind, id] = resource ? [resource.kind, resource.id] : ['', stream];
  const who = dim(`· ${describeActor(metadata.actor)}`);
  return `${time.slice(0, 10)} ${time.slice(11, 23)}  ${kind.padEnd(7)} ${id}  ${bold(type)} ${who}`;
}
