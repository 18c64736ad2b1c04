/** `npm run fuzz -- --requests 20000 --seed 1`: requests of all kinds, right and wrong; says what the server made of them. */

import { parseArgs } from 'node:util';
import { campaign, requestsARound } from './campaign.ts';

const { values } = parseArgs({
  options: {
    requests: { type: 'string', default: '20000' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
  },
});

const say = (line: string): void => void process.stdout.write(`${line}\n`);

const began = performance.now();
say(`seed ${values.seed}; --seed <one of a fault> --requests ${requestsARound} plays its round again`);
const { sent, statuses, faults } = await campaign(Number(values.requests), Number(values.seed), (seed) =>
  (seed - Number(values.seed)) % 10 === 0 ? say(`round ${seed}`) : undefined,
);
for (const [status, count] of [...statuses].sort(([a], [b]) => a - b)) say(`${String(count).padStart(7)} x ${status}`);
say(`${sent} requests, ${Math.round((performance.now() - began) / 1000)} s`);
for (const fault of faults) say(`FAULT: ${fault}`);
say(faults.length === 0 ? 'Nothing failed, hung, or was stored by a refused request.' : `${faults.length} faults`);
process.exitCode = faults.length === 0 ? 0 : 1;
