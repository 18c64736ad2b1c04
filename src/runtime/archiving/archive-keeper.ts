import { pause } from '../../pause.ts';
import type { Archiver } from '../../store/archive.ts';
import { type Clock, timestamp } from '../clock.ts';
import { type Archived, type ArchivingOptions, archiveDeleted } from './archive-deleted.ts';

export interface ArchiveKeeperOptions extends Pick<ArchivingOptions, 'store' | 'aggregates'> {
  /** Opens what archives; for each run anew. */
  readonly open: () => Archiver;
  /** Resources that were deleted so long ago are archived. */
  readonly afterMs: number;
  readonly clock: Clock;
  /** A run has moved something. */
  readonly onArchived: (archived: Archived) => void;
  readonly onFailure: (error: unknown) => void;
}

/** After one run, the next: no deleted resource stays for much longer than it was to, and a short time is kept as well. */
const longestRestMs = 3_600_000;
const shortestRestMs = 1_000;

/** For each moment that the ledger's writer may have to wait for a step, so many without one. */
const restsAStep = 4;

/** Archives deleted resources while the ledger is in use: a run now and then, in steps with pauses between them. */
export class ArchiveKeeper {
  readonly #options: ArchiveKeeperOptions;
  readonly #stopping = new AbortController();
  #running: Promise<void> = Promise.resolve();
  /** What came to rest before was looked at, and is archived or alive. */
  #from = '';

  constructor(options: ArchiveKeeperOptions) {
    this.#options = options;
  }

  start(): void {
    this.#running = this.#keepOn();
  }

  /** Settles when the step that is under way is done. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#running;
  }

  async #keepOn(): Promise<void> {
    const { afterMs, onFailure } = this.#options;
    const restMs = Math.min(Math.max(afterMs, shortestRestMs), longestRestMs);
    while (!this.#stopping.signal.aborted) {
      try {
        await this.#run();
      } catch (error) {
        onFailure(error);
      }
      await pause(restMs, this.#stopping.signal);
    }
  }

  async #run(): Promise<void> {
    const { store, aggregates, open, afterMs, clock, onArchived } = this.#options;
    const { signal } = this.#stopping;
    const before = timestamp(clock.now() - afterMs);
    const archiver = open();
    try {
      const archived = await archiveDeleted({
        store,
        aggregates,
        archiver,
        span: { from: this.#from, before },
        signal,
        pause: (tookMs) => pause(tookMs * restsAStep, signal),
      });
      if (archived.complete) this.#from = before;
      if (archived.events > 0) onArchived(archived);
    } finally {
      await archiver.close();
    }
  }
}
