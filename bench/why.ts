/** Why, on a port with a long history in a long ledger: now, and as it was. */

import { type Line, median, percentile, timed } from './support/measure.ts';

const samples = 200;

/** @param port path of a port with `history` events, on a server whose read models have caught up */
export async function whyLines(port: string, history: number, events: number): Promise<Line[]> {
  const [present, past, state]: [number[], number[], number[]] = [[], [], []];
  for (let n = 0; n < samples; n++) {
    const at = (n * 7919) % history;
    present.push(await timed(`${port}/why`));
    past.push(await timed(`${port}/why?at=${at}`));
    state.push(await timed(`${port}?at=${at}`));
  }
  const what = `among ${history} events of a port, ${events} of the ledger`;
  return [
    { what: `why ${what}, p50`, unit: 'ms', ours: median(present) },
    { what: `why ${what}, p99`, unit: 'ms', ours: percentile(present, 0.99) },
    {
      what: `why?at= ${what}, p50`,
      unit: 'ms',
      ours: median(past),
      baseline: { what: 'ms, ?at= alone', value: median(state) },
    },
  ];
}
