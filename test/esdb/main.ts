/**
 * `npm run test:esdb`: what stands on EventStoreDB, on the test server, with more rounds of faults than the whole suite has.
 * `STACKLEDGER_TEST_ESDB=esdb://... npm run test:esdb`: the same on a database from outside; what cannot be played there is named.
 */

import { spawn } from 'node:child_process';
import { once } from 'node:events';

interface Suite {
  readonly what: string;
  readonly path: string;
  /** Why it is played on the test server alone. */
  readonly needs?: string;
}

const emptyLedger = 'begins with an empty database, and one holds a single ledger';

const suites: readonly Suite[] = [
  { what: 'the contract of every store', path: 'test/store/eventstoredb.test' },
  { what: 'several stores on one ledger', path: 'test/store/eventstoredb-processes' },
  { what: 'work that one process does for all', path: 'test/runtime/leased-work' },
  { what: 'writers while something befalls the database', path: 'test/faults/eventstoredb' },
  { what: 'two API processes, one of which is killed', path: 'test/faults/two-processes' },
  { what: 'the API over a cluster', path: 'test/api/eventstoredb' },
  {
    what: 'nodes that die or stand still, answers that are lost',
    path: 'test/store/eventstoredb-cluster',
    needs: 'tells nodes and calls to fail',
  },
  { what: "the API's own stories", path: 'test/api/', needs: `each ${emptyLedger}; their time stands still` },
  { what: 'a ledger that moves here and back', path: 'test/cli/moving', needs: emptyLedger },
  { what: 'the demo', path: 'test/demo/demo.esdb', needs: emptyLedger },
];

const { STACKLEDGER_TEST_ESDB: named, STACKLEDGER_FAULT_ROUNDS: rounds = '10' } = process.env;
const played = suites.filter(({ needs }) => !named || !needs);
const left = suites.filter((suite) => !played.includes(suite));

const say = (line: string): void => void process.stdout.write(`${line}\n`);

function sayWhatIsPlayed(): void {
  for (const { what, path } of played) say(`on ${named ? 'the named database' : 'the test server'}: ${what} (${path})`);
  for (const { what, path, needs } of left) say(`NOT RUN on the named database: ${what} (${path}): ${needs}`);
}

sayWhatIsPlayed();
const began = performance.now();
const env = { ...process.env, STACKLEDGER_TEST_ENGINE: 'esdb', STACKLEDGER_FAULT_ROUNDS: rounds };
const options = [
  // Each append is a call to another process, and many stories start a server of their own.
  ...['--testTimeout=120000', '--hookTimeout=120000'],
  // A named database is shared by the stories, so they come one after the other.
  ...(named ? ['--no-file-parallelism'] : []),
];
const paths = played.map(({ path }) => path);
const child = spawn('npx', ['vitest', 'run', ...options, ...paths], { stdio: 'inherit', env });
const [code] = (await once(child, 'exit')) as [number | null];
sayWhatIsPlayed();
say(`${Math.round((performance.now() - began) / 1000)} s`);
process.exitCode = code ?? 1;
