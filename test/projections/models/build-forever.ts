/** A process that builds the read models of a ledger over and over, until it is killed: `build-forever <ledger> <views>`. */

import { openViews } from '../../../src/projections/views.ts';
import { openStore } from '../../../src/store/open-store.ts';

const [ledgerFile, path] = process.argv.slice(2) as [string, string];
const store = await openStore(`sqlite:${ledgerFile}`, { clock: 'manual', readOnly: true });
const views = await openViews({ store, path, ledgerFile });
await views.waitFor(await store.head(), 60_000);
process.stdout.write('built\n');
for (;;) await views.rebuild();
