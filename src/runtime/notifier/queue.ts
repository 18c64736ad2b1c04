import type { Notification } from './notification.ts';

/** A notification on its way. */
export interface Entry {
  readonly notification: Notification;
  attempts: number;
}

/**
 * What Nova has still to be told, in order. Entries stay until they are settled. Where a batch is refused, what comes
 * next is smaller, until the culprit stands alone.
 */
export class Queue {
  readonly #maxBatch: number;
  #entries: Entry[] = [];
  /** The culprit is among the next `left` entries. */
  #narrow: { readonly size: number; left: number } | null = null;
  /** Over which Nova stumbles, though it stands alone; `isAlone`: others get through meanwhile. */
  #suspect: { readonly entry: Entry; isAlone: boolean; probeNext: boolean } | null = null;

  constructor(maxBatch: number) {
    this.#maxBatch = maxBatch;
  }

  get length(): number {
    return this.#entries.length;
  }

  get oldest(): Notification | undefined {
    return this.#entries[0]?.notification;
  }

  get isFull(): boolean {
    return this.#entries.length >= this.#maxBatch;
  }

  /** A culprit is looked for, by smaller batches. */
  get isSearching(): boolean {
    return this.#narrow !== null || this.#suspect !== null;
  }

  push(notification: Notification): void {
    this.#entries.push({ notification, attempts: 0 });
  }

  /** What to send now. */
  next(): readonly Entry[] {
    const probe = this.#suspect?.probeNext ? this.#otherThan(this.#suspect.entry) : undefined;
    if (this.#suspect) this.#suspect.probeNext = !this.#suspect.probeNext;
    if (probe) return [probe];
    if (this.#suspect) return [this.#suspect.entry];
    return this.#entries.slice(0, this.#narrow?.size ?? this.#maxBatch);
  }

  /** Nova has said what becomes of these, or they are given up. */
  settle(batch: readonly Entry[]): void {
    const settled = new Set(batch);
    this.#entries = this.#entries.filter((entry) => !settled.has(entry));
    if (this.#suspect && settled.has(this.#suspect.entry)) this.#suspect = null;
    else if (this.#suspect) Object.assign(this.#suspect, { isAlone: true, probeNext: false });
    if (this.#narrow) this.#narrow.left -= batch.length;
    if (this.#narrow && this.#narrow.left <= 0) this.#narrow = null;
  }

  /** One of these is not wanted. Where it is a single one, that is the one: true. */
  findCulprit(batch: readonly Entry[]): boolean {
    if (batch.length === 1) return true;
    this.#narrow = { size: Math.ceil(batch.length / 2), left: batch.length };
    return false;
  }

  /**
   * Nova stumbles over these again and again. A single one is the culprit only where others get through: where nothing
   * does, Nova is at fault. Others are of other ports, so that the order within a port holds.
   */
  findPoison(batch: readonly Entry[]): boolean {
    if (!this.findCulprit(batch)) return false;
    const [entry] = batch as [Entry];
    this.#suspect ??= { entry, isAlone: false, probeNext: true };
    return this.#suspect.entry === entry && this.#suspect.isAlone;
  }

  #otherThan({ notification }: Entry): Entry | undefined {
    const { tag } = notification.event;
    return this.#entries.find((entry) => entry.notification.event.tag !== tag);
  }
}
