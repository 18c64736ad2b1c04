/** What an archive of a ledger is to those who decide what goes there: they know streams, and no files. */

/** A stream as somebody saw it. */
export interface StreamEnd {
  readonly stream: string;
  /** Of its last event then. */
  readonly revision: number;
}

/** From one time to another, the second not included. */
export interface TimeSpan {
  readonly from: string;
  readonly before: string;
}

/** Some of the streams that nothing was added to since a time. */
export interface IdleStreams {
  readonly ends: readonly StreamEnd[];
  /** Streams looked at to find them. */
  readonly looked: number;
  /** Where to go on; null where these were the last. */
  readonly next: number | null;
}

/** What was moved. */
export interface Moved {
  readonly streams: number;
  readonly events: number;
  readonly receipts: number;
}

/** What one step has moved. */
export interface MovedStep extends Moved {
  /** Whether nothing is left of what was to be moved. */
  readonly done: boolean;
}

export interface ArchiveSizes {
  /** Streams of the ledger, archived or not. */
  readonly streams: number;
  readonly ledgerBytes: number;
  /** Of these, what is free for what is recorded next. */
  readonly freeBytes: number;
  readonly archiveBytes: number;
}

/** Takes streams out of the ledger's own file into its archive, in steps that hold up nobody for long. */
export interface Archiver {
  /** Streams with events outside the archive, of which the last one is of the time span: a piece of them at a time. */
  idle(span: TimeSpan, after: number): Promise<IdleStreams>;
  /**
   * One step: moves some of the events of these streams, the oldest first. A stream that has got another end stays. What a
   * step that failed or broke off has left behind is put right by the next one on the same stream.
   *
   * @throws StoreError not-writable | unusable-ledger
   */
  move(ends: readonly StreamEnd[]): Promise<MovedStep>;
  sizes(): Promise<ArchiveSizes>;
  close(): Promise<void>;
}
