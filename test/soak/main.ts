/**
 * `npm run soak -- --kills 500 --seed 1`: kills a server under load again and again; says what the ledger made of it.
 * `npm run soak -- --faults 700`: damages ledgers so many times, and takes the disk away from servers at work.
 */

import { parseArgs } from 'node:util';
import { crash } from './crashes.ts';
import { damage } from './damage.ts';
import { type DiskReport, fillDisk, limitedFiles, smallFileSystem, startReadOnly } from './disk.ts';

const { values } = parseArgs({
  options: {
    kills: { type: 'string', default: '500' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    'kills-a-ledger': { type: 'string', default: '25' },
    faults: { type: 'string' },
  },
});
const seed = Number(values.seed);

const say = (line: string): void => void process.stdout.write(`${line}\n`);
const sayCounts = (counts: Readonly<Record<string, number>>, of: string): void => {
  for (const [what, count] of Object.entries(counts).sort()) say(`${String(count).padStart(6)}${of} ${what}`);
};

async function killServers(): Promise<readonly string[]> {
  const { kills, acknowledged, events, faults } = await crash({
    kills: Number(values.kills),
    seed,
    killsALedger: Number(values['kills-a-ledger']),
    onKill: (kill, moment) => kill % 25 === 0 && say(`${kill} kills, the last one ${moment}`),
  });
  sayCounts(kills, ' kills');
  say(`${acknowledged} commands acknowledged, ${events} events`);
  return faults;
}

async function damageLedgers(trials: number): Promise<readonly string[]> {
  const { outcomes, faults } = await damage({ trials, seed });
  sayCounts(outcomes, '');
  const rounds = Math.ceil(trials / 20);
  return [...faults, ...(await withLimitedFiles(rounds)), ...(await withSmallFileSystem(rounds))];
}

async function withLimitedFiles(rounds: number): Promise<readonly string[]> {
  const trouble = limitedFiles();
  try {
    return sayDisk('a disk with I/O errors', await fillDisk({ rounds, seed, trouble }));
  } finally {
    trouble.remove();
  }
}

async function withSmallFileSystem(rounds: number): Promise<readonly string[]> {
  let trouble: ReturnType<typeof smallFileSystem>;
  try {
    trouble = smallFileSystem();
  } catch (error) {
    say(`NOT TRIED: a full and a read-only file system, for want of one: ${(error as Error).message}`);
    return [];
  }
  try {
    const faults = sayDisk('a full disk', await fillDisk({ rounds, seed, trouble }));
    trouble.makeReadOnly();
    return [...faults, ...(await startReadOnly(trouble.folder))];
  } finally {
    trouble.remove();
  }
}

function sayDisk(what: string, { rounds, acknowledged, events, faults }: DiskReport): readonly string[] {
  say(`${String(rounds).padStart(6)} times ${what}: ${acknowledged} commands acknowledged, ${events} events`);
  return faults;
}

const began = performance.now();
say(`seed ${seed}`);
const faults = values.faults === undefined ? await killServers() : await damageLedgers(Number(values.faults));
for (const fault of faults) say(`FAULT: ${fault}`);
const took = `${Math.round((performance.now() - began) / 1000)} s`;
say(faults.length === 0 ? `Nothing was lost, doubled or reordered. (${took})` : `${faults.length} faults (${took})`);
process.exitCode = faults.length === 0 ? 0 : 1;
