import { hostname } from 'node:os';
import { parseArgs } from 'node:util';
import { createClient } from 'stackledger/client';
import { Known } from './known.ts';
import { PreemptibleRoom } from './preemptible-room.ts';
import { messageOf } from './problems.ts';
import { Reaper } from './reaper.ts';

const usage = `Makes room for servers that are PENDING by deleting preemptible ones.

  --url <url>            where the ledger is (http://127.0.0.1:8642)
  --holder <name>        in whose name servers are claimed: one for each reaper, the same after a restart (reaper@<host>)
  --state-file <path>    how far this reaper has read (reaper-state.json); for one ledger and one reaper
  --max-attempts <n>     rebuilds of a server before it is given up (5)

STACKLEDGER_TOKEN is the token, where the ledger asks for one.
`;

const options = {
  url: { type: 'string', default: 'http://127.0.0.1:8642' },
  holder: { type: 'string', default: `reaper@${hostname()}` },
  'state-file': { type: 'string', default: 'reaper-state.json' },
  'max-attempts': { type: 'string', default: '5' },
  help: { type: 'boolean', default: false },
} as const;

const log = (line: string): void => console.log(`${new Date().toISOString()} ${line}`);

/** Aborts at Ctrl-C or SIGTERM, so that claims are released. A second one ends the process the hard way. */
function interrupted(): AbortSignal {
  const controller = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => controller.abort());
  return controller.signal;
}

function flags() {
  const { values } = parseArgs({ options });
  const maxAttempts = Number(values['max-attempts']);
  if (!Number.isInteger(maxAttempts) || maxAttempts < 1)
    throw new Error('--max-attempts must be a whole number from 1.');
  return { ...values, stateFile: values['state-file'], maxAttempts };
}

async function main(): Promise<void> {
  const { url, holder, stateFile, maxAttempts, help } = flags();
  if (help) return console.log(usage);
  const token = process.env.STACKLEDGER_TOKEN;
  const client = createClient({ baseUrl: url, actor: holder, ...(token !== undefined && { token }) });
  const known = await Known.load(stateFile);
  const roomMaker = new PreemptibleRoom({ client, known });
  log(`${holder} follows ${url}${known.position === undefined ? '' : ` from ${known.position} on`}.`);
  await new Reaper({ client, known, holder, roomMaker, maxAttempts, log }).run(interrupted());
  log('Stopped.');
}

try {
  await main();
} catch (error) {
  console.error(`reaper: ${messageOf(error)}`);
  process.exitCode = 1;
}
