import { type Command, Option } from 'commander';
import { withoutPassword } from '../../without-password.ts';
import { bareMetalCast } from '../demo/bare-metal.ts';
import { chainCast } from '../demo/chain.ts';
import { castOf } from '../demo/nova/cast.ts';
import { novaRecordings, type Recording } from '../demo/nova/recording.ts';
import { Playbill, totalOf } from '../demo/playbill.ts';
import { portsCast } from '../demo/ports.ts';
import { playAll, type Scene } from '../demo/scenes.ts';
import { Stage } from '../demo/stage.ts';
import { exitCodes } from '../failure.ts';
import { formatDuration } from '../output/duration.ts';
import { type GlobalOptions, Terminal } from '../terminal.ts';

interface DemoOptions extends GlobalOptions {
  readonly keep?: string;
  readonly on?: string;
  readonly recordings?: string;
}

export function addDemo(program: Command): void {
  program
    .command('demo')
    .summary('play recorded runs of Nova, a bare-metal deployment and racing ports on a ledger of its own')
    .description(
      'Starts a server on an empty ledger, plays recorded and written scenes on it, shows the timeline of every resource, ' +
        'and replays it all from the log. Exits with 1 where something is not as it was recorded, or not the same again. ' +
        'docs/demo.md says more. With --json: one document.',
    )
    .option('--keep <file>', 'keep the ledger in this file, for looking at with the other commands')
    .addOption(
      new Option('--on <url>', 'play on the empty ledger of this URL, such as esdb://localhost:2113').conflicts('keep'),
    )
    .option('--recordings <folder>', 'play the recordings of Nova in this folder instead of those that come with it')
    .action(async (_options: DemoOptions, command: Command) => {
      const terminal = Terminal.of(command);
      const { keep, on, recordings } = command.optsWithGlobals<DemoOptions>();
      const ok = await runDemo(terminal, novaRecordings(recordings), keep, on);
      if (!ok) process.exitCode = exitCodes.failed;
    });
}

async function runDemo(
  terminal: Terminal,
  recordings: readonly Recording[],
  keep?: string,
  on?: string,
): Promise<boolean> {
  const began = performance.now();
  const stage = new Stage({ ...castOf(recordings), ...bareMetalCast, ...portsCast, ...chainCast }, keep, on);
  const giveBack = leaveNothingBehind(stage);
  const playbill = new Playbill(terminal.style);
  const scenes: Scene[] = [];
  try {
    for await (const scene of playAll(stage, recordings)) {
      scenes.push(scene);
      if (!terminal.json) terminal.print(...playbill.lines(scene));
    }
  } finally {
    await stage.close();
    giveBack();
  }
  const ok = scenes.every((scene) => scene.ok);
  const tookMs = Math.round(performance.now() - began);
  if (terminal.json) terminal.document({ ok, tookMs, ledger: stage.keeps ? stage.ledger : null, scenes });
  else terminal.print('', ...totalOf(scenes), ...farewell(ok, tookMs, stage.keeps ? stage.storeUrl : null, terminal));
  return ok;
}

function farewell(ok: boolean, tookMs: number, store: string | null, { style }: Terminal): string[] {
  const verdict = ok ? style.green('All of it is as it should be.') : style.red('Not all of it is as it should be.');
  const shown = store && withoutPassword(store);
  const kept = [
    `The ledger is kept. Look at it with: stackledger verify --store ${shown}`,
    `or with a server on it:              stackledger serve --store ${shown} --clock manual`,
  ];
  return [`${verdict} (${formatDuration(tookMs)})`, ...(store === null ? [] : kept)];
}

/** An interrupted demo takes its folder with it, too. */
function leaveNothingBehind(stage: Stage): () => void {
  const interrupt = (): void => {
    stage.clear();
    process.exit(exitCodes.interrupted);
  };
  const signals = ['SIGINT', 'SIGTERM'] as const;
  for (const signal of signals) process.once(signal, interrupt);
  return () => {
    for (const signal of signals) process.off(signal, interrupt);
    stage.clear();
  };
}
