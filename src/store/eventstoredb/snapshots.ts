import type { Snapshot } from '../event-store.ts';
import { replacesSnapshot } from '../snapshots.ts';
import type { Calls } from './calls.ts';
import type { KeptStreams } from './kept-streams.ts';
import { internalPrefix } from './wire-event.ts';

const snapshotPrefix = `${internalPrefix}snapshot-`;

/** Snapshots, each in a stream beside its own, so that all processes start from the same. */
export class Snapshots {
  readonly #kept: KeptStreams;
  readonly #calls: Calls;

  constructor(kept: KeptStreams, calls: Calls) {
    this.#kept = kept;
    this.#calls = calls;
  }

  async load(stream: string): Promise<Snapshot | null> {
    return (await this.#kept.load<Snapshot>(snapshotPrefix + stream)).value;
  }

  async save(snapshot: Snapshot, streamRevision: number): Promise<void> {
    await this.#kept.change<Snapshot>(snapshotPrefix + snapshot.stream, 'SnapshotTaken', (kept) =>
      replacesSnapshot(kept ?? undefined, snapshot, streamRevision) ? snapshot : null,
    );
  }

  /** Streams are found by reading everything, since there is no list of them; each is then read for its newest. */
  async *all(): AsyncGenerator<Snapshot> {
    const seen = new Set<string>();
    for await (const { event } of this.#calls.everything()) {
      if (!event?.streamId.startsWith(snapshotPrefix) || seen.has(event.streamId)) continue;
      seen.add(event.streamId);
      const { value } = await this.#kept.load<Snapshot>(event.streamId);
      if (value) yield value;
    }
  }
}
