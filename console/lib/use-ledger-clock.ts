import { setLedgerTime } from './time.ts';
import { useLoaded } from './use-loaded.ts';

/** Asks the ledger what time it is, when the page opens and whenever another page is turned to. */
export function useLedgerClock(path: string): void {
  useLoaded(`clock ${path}`, async (client, signal) => setLedgerTime((await client.clock.read({ signal })).now));
}
