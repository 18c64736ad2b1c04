import { verifyLedger } from '../../src/cli/verify/verify-ledger.ts';
import { aggregates } from '../../src/domain/aggregates.ts';
import { commandIdOf } from '../../src/runtime/ids.ts';
import { openStore } from '../../src/store/open-store.ts';
import type { Customer } from './customers.ts';

/** What a ledger says of itself, next to what its customers were told. */
export interface Audit {
  readonly events: number;
  readonly acknowledged: number;
  /** What is wrong, a sentence each; empty where all is well. */
  readonly faults: readonly string[];
}

/**
 * Holds a ledger that nobody has open against its customers' books: each acknowledged command is there once, with the
 * events and revisions that were answered and in the order in which they were; a refused one left nothing; and the
 * ledger itself is sound.
 */
export async function audit(url: string, customers: readonly Customer[]): Promise<Audit> {
  const store = await openStore(url, { readOnly: true });
  try {
    const { findings, findingCount, events } = await verifyLedger(store, aggregates, null);
    const faults = findings.map(({ check, stream, revision, detail }) => `${check} ${stream}@${revision}: ${detail}`);
    if (findingCount > findings.length) faults.push(`and ${findingCount - findings.length} more`);

    const recorded = new Map<string, string>();
    const eventsOf = new Map<unknown, number>();
    for await (const { stream, revision, id, metadata } of store.readAll()) {
      recorded.set(`${stream}@${revision}`, id);
      eventsOf.set(metadata.commandId, (eventsOf.get(metadata.commandId) ?? 0) + 1);
    }
    for (const customer of customers) faults.push(...faultsOf(customer, recorded, eventsOf));
    return { events, acknowledged: customers.reduce((sum, { answered }) => sum + answered.length, 0), faults };
  } finally {
    await store.close();
  }
}

function* faultsOf(
  { answered }: Customer,
  recorded: ReadonlyMap<string, string>,
  eventsOf: ReadonlyMap<unknown, number>,
): Iterable<string> {
  let latest = -1;
  for (const { stream, key, status, revision, events } of answered) {
    const there = eventsOf.get(commandIdOf(stream, key)) ?? 0;
    if (status !== 200) {
      if (there > 0) yield `${key} was refused with ${status} and left ${there} events`;
      continue;
    }
    if (there !== events.length) yield `${key} was answered ${events.length} events; ${there} are there`;
    for (const event of events) {
      const id = recorded.get(`${stream}@${event.revision}`);
      if (id !== event.id) yield `${stream}@${event.revision} was answered as ${event.id} and is ${id}`;
    }
    if (revision < latest) yield `${stream} went back from revision ${latest} to ${revision}`;
    latest = revision;
  }
}
