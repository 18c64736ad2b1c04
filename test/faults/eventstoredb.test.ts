import { afterAll, describe, expect, it } from 'vitest';
import { realDatabase } from '../support/eventstoredb/engine.ts';
import { openNamedSite, type Site, type TrialResult, testSites, trial } from './eventstoredb-trial.ts';

const writers = 64;
/** More of both with `npm run test:esdb`. */
const rounds = Number(process.env.STACKLEDGER_FAULT_ROUNDS ?? 1);
const appendsPerWriter = rounds > 1 ? 20 : 3;

const say = (line: string): void => void process.stdout.write(`EventStoreDB faults: ${line}\n`);

/** What befalls a database from outside is what the person who runs this has written down. */
function namedSites(url: string): Record<string, () => Promise<Site>> {
  const { STACKLEDGER_TEST_ESDB_FAULT: fault, STACKLEDGER_TEST_ESDB_HEAL: heal } = process.env;
  for (const name of Object.keys(testSites)) say(`NOT RUN on the database that was named: ${name}`);
  if (!fault) say('set STACKLEDGER_TEST_ESDB_FAULT and _HEAL to shell commands that stop a node and start it again');
  return { [fault ?? 'nothing befalls it']: () => openNamedSite(url, fault, heal) };
}

describe(`a database under ${writers} writers`, () => {
  const results: TrialResult[] = [];
  afterAll(() => {
    const sum = (of: (result: TrialResult) => number): number => results.reduce((total, each) => total + of(each), 0);
    const slowest = Math.max(...results.map(({ pausedMs }) => pausedMs));
    say(
      `${results.length} trials, ${sum((each) => each.acknowledged)} appends acknowledged, ` +
        `${sum((each) => each.refused)} refused, ${sum((each) => each.flaws.length)} flaws; ` +
        `longest pause ${Math.round(slowest)} ms`,
    );
  });

  for (const [what, open] of Object.entries(realDatabase ? namedSites(realDatabase) : testSites)) {
    it(
      `keeps what it acknowledged and nothing it refused: ${what}`,
      async () => {
        for (let round = 0; round < rounds; round++) {
          const result = await trial(await open(), writers, appendsPerWriter);
          results.push(result);
          expect(result.flaws).toEqual([]);
          expect(result.acknowledged).toBe(writers * appendsPerWriter);
        }
      },
      60_000 * rounds,
    );
  }
});
