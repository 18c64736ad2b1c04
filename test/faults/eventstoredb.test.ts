import { afterAll, describe, expect, it } from 'vitest';
import { faults, type TrialResult, trial } from './eventstoredb-trial.ts';

const writers = 64;
/** More of both with `npm run test:esdb`. */
const rounds = Number(process.env.STACKLEDGER_FAULT_ROUNDS ?? 1);
const appendsPerWriter = rounds > 1 ? 20 : 3;

describe(`a cluster under ${writers} writers`, () => {
  const results: TrialResult[] = [];
  afterAll(() => {
    const sum = (of: (result: TrialResult) => number): number => results.reduce((total, each) => total + of(each), 0);
    const slowest = Math.max(...results.map(({ pausedMs }) => pausedMs));
    process.stdout.write(
      `EventStoreDB faults: ${results.length} trials, ${sum((each) => each.acknowledged)} appends acknowledged, ` +
        `${sum((each) => each.refused)} refused, ${sum((each) => each.flaws.length)} flaws; ` +
        `longest pause ${Math.round(slowest)} ms\n`,
    );
  });

  for (const [what, fault] of Object.entries(faults)) {
    it(
      `keeps what it acknowledged and nothing it refused: ${what}`,
      async () => {
        for (let round = 0; round < rounds; round++) {
          const result = await trial(fault, writers, appendsPerWriter);
          results.push(result);
          expect(result.flaws).toEqual([]);
          expect(result.acknowledged).toBe(writers * appendsPerWriter);
        }
      },
      60_000 * rounds,
    );
  }
});
