import type { Command } from 'commander';
import { aggregates } from '../../domain/aggregates.ts';
import { fold, isAlive, type Lifetime } from '../../domain/kernel/aggregate.ts';
import { resourceOf } from '../../domain/kernel/resource.ts';
import type { EventStore, Snapshot } from '../../store/event-store.ts';
import { openStore } from '../../store/open-store.ts';
import { removeSnapshots } from '../../store/sqlite/snapshot-cleaning.ts';
import { formatCount, plural } from '../output/table.ts';
import { Terminal } from '../terminal.ts';
import { ledgerFile, storeOption } from './options.ts';

interface Compaction {
  readonly kept: number;
  readonly ofOtherFolds: number;
  readonly ofDeletedResources: number;
}

type Verdict = keyof Compaction;

export function addCompact(program: Command): void {
  program
    .command('compact')
    .summary('remove the snapshots that nobody will read again')
    .description(
      'Removes snapshots of deleted resources and of other versions of the program, also beside a running server. The ' +
        'space is used again for what is recorded next. No event is touched.',
    )
    .addOption(storeOption())
    .action(async ({ store }: { readonly store: string }, command: Command) => {
      const terminal = Terminal.of(command);
      const compaction = await compact(store);
      if (terminal.json) terminal.document(compaction);
      else terminal.print(describe(compaction));
    });
}

async function compact(url: string): Promise<Compaction> {
  const file = ledgerFile(url);
  const store = await openStore(url, { readOnly: true });
  const count: Record<Verdict, number> = { kept: 0, ofOtherFolds: 0, ofDeletedResources: 0 };
  try {
    await removeSnapshots(
      file,
      unwanted(store, (verdict) => count[verdict]++),
    );
  } finally {
    await store.close();
  }
  return count;
}

async function* unwanted(store: EventStore, note: (verdict: Verdict) => void): AsyncGenerator<Snapshot> {
  for await (const snapshot of store.readSnapshots()) {
    const verdict = await verdictOn(store, snapshot);
    note(verdict);
    if (verdict !== 'kept') yield snapshot;
  }
}

/** A resource may have been deleted, and may have come back, since its snapshot. */
async function verdictOn(
  store: EventStore,
  { stream, revision, foldVersion, state: text }: Snapshot,
): Promise<Verdict> {
  const resource = resourceOf(stream);
  const aggregate = resource && aggregates[resource.kind];
  if (!aggregate || aggregate.foldVersion !== foldVersion) return 'ofOtherFolds';
  let state: Lifetime | null = JSON.parse(text) as Lifetime;
  try {
    for await (const event of store.readStream(stream, { from: revision + 1 })) {
      state = fold(aggregate, resource.id, state, event);
    }
  } catch {
    return 'kept'; // an event that cannot be folded is the affair of `verify`
  }
  return isAlive(state) ? 'kept' : 'ofDeletedResources';
}

const describe = ({ kept, ofOtherFolds, ofDeletedResources }: Compaction): string =>
  `${plural(ofOtherFolds + ofDeletedResources, 'snapshot')} removed: ${formatCount(ofDeletedResources)} of deleted resources, ${formatCount(ofOtherFolds)} of other versions of the program. ${formatCount(kept)} kept.`;
