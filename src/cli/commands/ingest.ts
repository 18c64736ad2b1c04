import { closeSync, openSync, writeSync } from 'node:fs';
import { type Command, Option } from 'commander';
import { exitCodes, UsageError } from '../failure.ts';
import { AmqpSource } from '../ingest/amqp.ts';
import { messagesOf } from '../ingest/files.ts';
import { ingest, type Reject, type Summary } from '../ingest/ingest.ts';
import type { Message } from '../ingest/message.ts';
import { formatDuration } from '../output/duration.ts';
import { formatCount, plural } from '../output/table.ts';
import { showProgress } from '../progress.ts';
import { type GlobalOptions, Terminal } from '../terminal.ts';
import { clientFor, interrupted, parseCount } from './options.ts';

interface IngestOptions extends GlobalOptions {
  readonly amqp?: string;
  readonly queue: string;
  readonly prefetch: number;
  readonly deadLetter?: boolean;
  readonly rejects?: string;
}

export function addIngest(program: Command): void {
  program
    .command('ingest')
    .summary('record what an OpenStack says of itself')
    .description(
      'Reads notifications of Nova, Neutron and Ironic, from files or from a queue of a RabbitMQ, and records what they say of ' +
        'servers, ports and nodes as observations. What comes twice is recorded once, so it may be interrupted and repeated.',
    )
    .argument('[files...]', 'a message a line, or a JSON document of one or many; - for standard input')
    .addOption(
      new Option('--amqp <url>', 'read from this RabbitMQ: amqp[s]://user:password@host/vhost').env(
        'STACKLEDGER_AMQP_URL',
      ),
    )
    .option('--queue <queue>', 'the queue to read', 'notifications.info')
    .option('--prefetch <count>', 'messages on their way at the same time', parseCount, 1000)
    .option('--dead-letter', "give what cannot be understood to the queue's dead-letter exchange")
    .option('--rejects <file>', 'append what cannot be understood to this file')
    .action(async (files: string[], _options: IngestOptions, command: Command) => {
      const terminal = Terminal.of(command);
      const options = command.optsWithGlobals<IngestOptions>();
      requireOneSource(files, options);
      const stop = interrupted();
      const began = performance.now();
      const summary = await run(files, options, terminal, stop);
      if (terminal.json) terminal.document(summary);
      else terminal.print(...describe(summary, performance.now() - began));
      if (stop.aborted && files.length > 0) process.exitCode = exitCodes.interrupted;
    });
}

function requireOneSource(files: readonly string[], { amqp }: IngestOptions): void {
  if (files.length > 0 === (amqp !== undefined)) throw new UsageError('Name either files or --amqp.');
  if (amqp === undefined) return;
  if (!/^amqps?:/.test(amqp) || !URL.canParse(amqp)) {
    throw new UsageError('--amqp must be of the form amqp[s]://user:password@host:port/vhost.');
  }
}

async function run(
  files: readonly string[],
  { url, token, amqp, queue, prefetch, deadLetter = false, rejects }: IngestOptions,
  terminal: Terminal,
  signal: AbortSignal,
): Promise<Summary> {
  const patience =
    amqp === undefined ? {} : { attempts: Number.POSITIVE_INFINITY, patienceMs: Number.POSITIVE_INFINITY };
  const client = clientFor({ url, ...(token !== undefined && { token }) }, { actor: 'ingest', retry: patience });
  const bin = rejects === undefined ? new Notes(terminal) : new RejectsFile(rejects);
  const progress = showProgress('messages', 0, terminal.json);
  const source =
    amqp === undefined
      ? null
      : new AmqpSource({
          url: amqp,
          queue,
          prefetch,
          deadLetter,
          signal,
          note: (text) => terminal.note(`stackledger: ${text}`),
        });
  const messages: AsyncIterable<Message> = source ? source.messages() : messagesOf(files, signal);
  try {
    return await ingest(messages, {
      client,
      reject: (reject) => bin.put(reject),
      onProgress: (count) => progress.update(count),
    });
  } finally {
    progress.stop();
    await source?.close();
    bin.close();
  }
}

/** Where rejects go that nobody wants to keep: the first few are shown. */
class Notes {
  readonly #terminal: Terminal;
  #count = 0;

  constructor(terminal: Terminal) {
    this.#terminal = terminal;
  }

  put({ place, reason }: Reject): void {
    if (++this.#count <= shownRejects) this.#terminal.note(`stackledger: ${place}: ${reason}`);
    if (this.#count === shownRejects)
      this.#terminal.note('stackledger: Further ones are only counted; --rejects <file> keeps all.');
  }

  close(): void {}
}

const shownRejects = 10;

/** A line a message, with its place and the reason, so that it can be mended and ingested. */
class RejectsFile {
  readonly #file: number;

  constructor(path: string) {
    this.#file = openSync(path, 'a', 0o600);
  }

  /** At once: the message is acknowledged next. */
  put(reject: Reject): void {
    writeSync(this.#file, `${JSON.stringify(reject)}\n`);
  }

  close(): void {
    closeSync(this.#file);
  }
}

function describe(summary: Summary, tookMs: number): string[] {
  const { messages, recorded, unchanged, repeated, unexpected, late, rejected, skipped } = summary;
  const rate = formatCount(Math.round(messages / (tookMs / 1000)));
  return [
    `${plural(messages, 'message')} in ${formatDuration(tookMs)} (${rate} a second).`,
    `${plural(recorded, 'observation')} recorded; ${formatCount(unchanged)} told nothing new; ${formatCount(repeated)} had been recorded before.`,
    ...(unexpected > 0 ? [`${formatCount(unexpected)} are flagged: the rules would not have led there.`] : []),
    ...(late > 0 ? [`${formatCount(late)} came after newer news, and are history.`] : []),
    ...(rejected > 0 ? [`${plural(rejected, 'message')} could not be understood.`] : []),
    ...Object.entries(skipped).map(([reason, count]) => `${plural(count, 'message')} left out: ${reason}.`),
  ];
}
