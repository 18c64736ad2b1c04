/** `npm run bench`: every figure beside its baseline, in one run. `npm run bench -- http store` runs those parts only. */

import { esdbLines } from './esdb.ts';
import { httpLines } from './http.ts';
import { ledgerLines } from './ledger.ts';
import { portLines } from './ports.ts';
import { readLines } from './read.ts';
import { storeLines } from './store.ts';
import { type Line, printTable } from './support/measure.ts';

const parts: Record<string, () => Promise<Line[]>> = {
  http: httpLines,
  ledger: ledgerLines,
  ports: portLines,
  store: storeLines,
  read: readLines,
  esdb: esdbLines,
};

const asked = process.argv.slice(2);
const unknown = asked.find((name) => !parts[name]);
if (unknown) {
  console.error(`There is no part ${unknown}. There are: ${Object.keys(parts).join(', ')}.`);
  process.exit(2);
}
const lines: Line[] = [];
for (const name of asked.length ? asked : Object.keys(parts)) {
  console.error(`measuring ${name} ...`);
  lines.push(...(await parts[name]!()));
}
printTable(lines);
