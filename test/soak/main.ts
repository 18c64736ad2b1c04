/** `npm run soak -- --kills 500 --seed 1`: kills a server under load again and again; says what the ledger made of it. */

import { parseArgs } from 'node:util';
import { crash } from './crashes.ts';

const { values } = parseArgs({
  options: {
    kills: { type: 'string', default: '500' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    'kills-a-ledger': { type: 'string', default: '25' },
  },
});

const say = (line: string): void => void process.stdout.write(`${line}\n`);

const began = performance.now();
say(`seed ${values.seed}`);
const { kills, acknowledged, events, faults } = await crash({
  kills: Number(values.kills),
  seed: Number(values.seed),
  killsALedger: Number(values['kills-a-ledger']),
  onKill: (kill, moment) => kill % 25 === 0 && say(`${kill} kills, the last one ${moment}`),
});
for (const [moment, count] of Object.entries(kills)) say(`${String(count).padStart(6)} kills ${moment}`);
say(`${acknowledged} commands acknowledged, ${events} events, ${Math.round((performance.now() - began) / 1000)} s`);
for (const fault of faults) say(`FAULT: ${fault}`);
say(faults.length === 0 ? 'Nothing was lost, doubled or reordered.' : `${faults.length} faults`);
process.exitCode = faults.length === 0 ? 0 : 1;
