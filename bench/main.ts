/**
 * `npm run bench`: every figure beside its baseline, in one run. `npm run bench -- http store` runs those parts only; those
 * that take long, or need something installed, run only so.
 */

import { parseArgs } from 'node:util';
import { esdbLines } from './esdb.ts';
import { growthLines } from './growth.ts';
import { httpLines } from './http.ts';
import { ledgerLines } from './ledger.ts';
import { peerLines } from './peer.ts';
import { portLines } from './ports.ts';
import { readLines } from './read.ts';
import { storeLines } from './store.ts';
import { type Line, printTable } from './support/measure.ts';

const { positionals: asked, values } = parseArgs({ allowPositionals: true, options: { events: { type: 'string' } } });

const usual: Record<string, () => Promise<Line[]>> = {
  http: httpLines,
  ledger: ledgerLines,
  ports: portLines,
  store: storeLines,
  read: readLines,
  esdb: esdbLines,
};
const parts: typeof usual = {
  ...usual,
  peer: peerLines,
  growth: () => growthLines(values.events === undefined ? undefined : Number(values.events)),
};

const unknown = asked.find((name) => !parts[name]);
if (unknown) {
  console.error(`There is no part ${unknown}. There are: ${Object.keys(parts).join(', ')}.`);
  process.exit(2);
}
const lines: Line[] = [];
for (const name of asked.length ? asked : Object.keys(usual)) {
  console.error(`measuring ${name} ...`);
  lines.push(...(await parts[name]!()));
}
printTable(lines);
