/** Opens a ledger, says so, and keeps it until it is killed. */
import { openStore } from '../../../src/store/open-store.ts';

await openStore(`sqlite:${process.argv[2]}`);
process.stdout.write('open\n');
