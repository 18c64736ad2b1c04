import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import { build, type Rollup } from 'vite';
import type { FaultCounts, FaultKind } from './faults.ts';
import type { Life } from './life.ts';

export interface CampaignOptions {
  readonly from: number;
  readonly seeds: number;
  /** Threads among which the worlds are shared out. */
  readonly jobs: number;
  /** No world is begun after this aborts. */
  readonly stop?: AbortSignal;
  /** Hears of each world when it has ended. */
  readonly told?: (life: Life, summary: Summary) => void;
}

/** What came of many worlds. */
export interface Summary {
  worlds: number;
  commands: number;
  events: number;
  readonly faults: FaultCounts;
  readonly findings: string[];
}

/** Whoever has so many findings has enough to do. */
const mostFindings = 10;
/** A world takes a few hundredths of a second; one that is still not over hangs, and its thread with it. */
const patienceMs = 120_000;

/** Lives through many worlds on several threads; each is the same whatever thread it falls to. */
export async function campaign({ from, seeds, jobs, stop, told }: CampaignOptions): Promise<Summary> {
  const summary: Summary = { worlds: 0, commands: 0, events: 0, faults: {}, findings: [] };
  const code = await bundle();
  let next = from;
  const isOver = (): boolean =>
    next >= from + seeds || stop?.aborted === true || summary.findings.length >= mostFindings;

  const work = async (): Promise<void> => {
    let thread: Worker | null = null;
    while (!isOver()) {
      thread ??= new Worker(code);
      const life = await liveThrough(next++, thread);
      if (life.hangs) thread = null;
      add(summary, life);
      told?.(life, summary);
    }
    await thread?.terminate();
  };
  await Promise.all(Array.from({ length: jobs }, work));
  return summary;
}

/** One world in the thread. Where it hangs the thread is ended, and must not be used again. */
async function liveThrough(seed: number, thread: Worker): Promise<Life & { hangs?: true }> {
  thread.postMessage(seed);
  const tooLong = AbortSignal.timeout(patienceMs);
  try {
    const [life] = await once(thread, 'message', { signal: tooLong });
    return life as Life;
  } catch (error) {
    await thread.terminate();
    const why = tooLong.aborted
      ? `does not end within ${patienceMs / 1000} seconds`
      : `ended its thread: ${String(error)}`;
    return { seed, commands: 0, events: 0, faults: {}, finding: `seed ${seed} ${why}`, hangs: true };
  }
}

function add(summary: Summary, { commands, events, faults, finding }: Life): void {
  summary.worlds += 1;
  summary.commands += commands;
  summary.events += events;
  for (const [kind, count] of Object.entries(faults) as [FaultKind, number][])
    summary.faults[kind] = (summary.faults[kind] ?? 0) + count;
  if (finding !== null) summary.findings.push(finding);
}

/** The thread's program as one piece, which runs a third faster than what is translated file by file. */
async function bundle(): Promise<URL> {
  const built = (await build({
    configFile: false,
    logLevel: 'error',
    ssr: { noExternal: true },
    build: {
      ssr: fileURLToPath(new URL('thread.ts', import.meta.url)),
      target: 'node20',
      write: false,
    },
  })) as Rollup.RollupOutput;
  return new URL(`data:text/javascript,${encodeURIComponent(built.output[0].code)}`);
}
