/** `npm run simulate -- --seeds 100000`: many worlds on all cores, and what came of them. */

import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import { campaign, type Summary } from './campaign.ts';
import { faultKinds } from './faults.ts';
import { report, simulate } from './simulate.ts';

const { values } = parseArgs({
  options: {
    seeds: { type: 'string', default: '1000' },
    from: { type: 'string', default: '1' },
    jobs: { type: 'string', default: String(availableParallelism()) },
    seed: { type: 'string' },
  },
});
const say = (line: string): void => void process.stdout.write(`${line}\n`);
const grouped = (count: number): string => count.toLocaleString('en');

const progressEveryMs = 10_000;
const began = performance.now();
if (values.seed === undefined) await many(Number(values.from), Number(values.seeds), Number(values.jobs));
else await one(Number(values.seed));

async function one(seed: number): Promise<void> {
  const fate = await simulate(seed);
  say(report(fate));
  process.exitCode = fate.failure ? 1 : 0;
}

/** The first Ctrl-C ends it with what is known so far. */
async function many(from: number, seeds: number, jobs: number): Promise<void> {
  const stop = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stop.abort());
  let progressAt = began;
  const summary = await campaign({
    from,
    seeds,
    jobs,
    stop: stop.signal,
    told: ({ finding }, { worlds, findings }) => {
      if (finding !== null) say(finding);
      if (performance.now() - progressAt < progressEveryMs) return;
      progressAt = performance.now();
      say(`${grouped(worlds)} of ${grouped(seeds)} worlds, ${speed(worlds)}; ${findings.length} findings`);
    },
  });
  conclude(summary);
  process.exitCode = summary.findings.length > 0 ? 1 : 0;
}

function conclude({ worlds, commands, events, faults, findings }: Summary): void {
  for (const kind of faultKinds) say(`${grouped(faults[kind] ?? 0).padStart(12)} x ${kind}`);
  say(`${grouped(worlds)} worlds with ${grouped(commands)} commands and ${grouped(events)} events, ${speed(worlds)}`);
  say(findings.length === 0 ? 'All rules held.' : `${findings.length} findings`);
}

function speed(worlds: number): string {
  const { user, system } = process.cpuUsage();
  const rate = (seconds: number): string => (worlds / seconds).toFixed(0);
  return `${rate((performance.now() - began) / 1000)} a second, ${rate((user + system) / 1e6)} a second of processor time`;
}
