import { parseArgs } from 'node:util';
import { report, simulate } from './simulate.ts';

const { values } = parseArgs({
  options: {
    seeds: { type: 'string', default: '1000' },
    from: { type: 'string', default: '1' },
    seed: { type: 'string' },
  },
});

const first = Number(values.seed ?? values.from);
const count = values.seed === undefined ? Number(values.seeds) : 1;
const started = performance.now();
let failed = 0;
let events = 0;
let worlds = 0;
let stopped = false;
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => (stopped = true));
for (let seed = first; seed < first + count && !stopped; seed++) {
  const fate = await simulate(seed);
  worlds += 1;
  events += fate.log.length;
  if (fate.failure || count === 1) process.stdout.write(`${report(fate)}\n`);
  if (fate.failure) failed += 1;
  if (failed >= 10) break;
}
const wall = (performance.now() - started) / 1000;
const { user, system } = process.cpuUsage();
const rate = (seconds: number): string => (worlds / seconds).toFixed(0);
process.stdout.write(
  `${worlds} worlds with ${events} events, ${failed} failed; ${rate(wall)} worlds a second, ${rate((user + system) / 1e6)} of processor time\n`,
);
process.exitCode = failed > 0 ? 1 : 0;
