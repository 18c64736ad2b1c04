import { type Record, tombstoneRevision } from './record.ts';

/** How a stream's metadata limits what reads of it see. */
interface Retention {
  readonly maxCount?: number;
  readonly truncateBefore?: bigint;
  readonly maxAgeSeconds?: number;
}

const everything: Retention = {};

/** One stream: all of its records, and what its metadata lets readers see of them. */
export class StreamState {
  readonly records: Record[] = [];
  #retention = everything;

  get isTombstoned(): boolean {
    return this.records.at(-1)?.revision === tombstoneRevision;
  }

  /** Deleted so that it may come back: everything is truncated. */
  get isSoftDeleted(): boolean {
    return this.#retention.truncateBefore === tombstoneRevision;
  }

  /** Revision of the last event; -1 where there is none. */
  get revision(): bigint {
    return this.records.at(-1)?.revision ?? -1n;
  }

  /** Takes over what the last event of the metadata stream says. */
  applyMetadata({ data }: Record): void {
    const text = Buffer.from(data).toString('utf8');
    // 2^63-1 is beyond what JSON numbers keep exactly, so it is recognised in the text.
    const truncateBefore = /"\$tb":\s*(\d+)/.exec(text)?.[1];
    const { $maxCount, $maxAge } = JSON.parse(text) as { $maxCount?: number; $maxAge?: number };
    this.#retention = {
      ...($maxCount !== undefined && { maxCount: $maxCount }),
      ...($maxAge !== undefined && { maxAgeSeconds: $maxAge }),
      ...(truncateBefore !== undefined && { truncateBefore: BigInt(truncateBefore) }),
    };
  }

  /** The records that reads of the stream see now, oldest first. */
  visible(now: number): readonly Record[] {
    const { maxCount, truncateBefore = 0n, maxAgeSeconds } = this.#retention;
    const counted = maxCount === undefined ? 0n : this.revision - BigInt(maxCount) + 1n;
    const first = counted > truncateBefore ? counted : truncateBefore;
    const start = first <= 0n ? 0 : this.records.findIndex(({ revision }) => revision >= first);
    const kept = start < 0 ? [] : start === 0 ? this.records : this.records.slice(start);
    return maxAgeSeconds === undefined ? kept : kept.filter(({ created }) => created > now - maxAgeSeconds * 1000);
  }

  /** Forgets the records from this position on. */
  truncate(position: bigint): void {
    while ((this.records.at(-1)?.position ?? -1n) >= position) this.records.pop();
  }
}
