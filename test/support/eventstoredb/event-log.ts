import { randomUUID } from 'node:crypto';
import {
  type AppendOutcome,
  type Expectation,
  framing,
  type Proposal,
  type Record,
  tombstoneRevision,
} from './record.ts';
import { StreamState } from './stream-state.ts';

/**
 * The log of a cluster, with the server's rules for appends. What is written is not yet committed: it becomes visible
 * with `commit`, and what was never committed is lost with its leader.
 */
export class EventLog {
  readonly #records: Record[] = [];
  readonly #streams = new Map<string, StreamState>();
  readonly #listeners = new Set<() => void>();
  #committed = 0;
  #end = 0n;

  /** The server's own beginning: a fresh one is not empty. */
  constructor() {
    const text = (value: object): Uint8Array => Buffer.from(JSON.stringify(value));
    const own = (type: string, value: object): Proposal => ({
      id: randomUUID(),
      type,
      contentType: 'application/json',
      data: text(value),
      metadata: new Uint8Array(),
    });
    this.append('$users', 'any', [own('$UserCreated', { login: 'admin' })]);
    this.append('$$$scavenges', 'any', [own('$metadata', { $maxAge: 2_592_000 })]);
    this.commit();
  }

  get committedCount(): number {
    return this.#committed;
  }

  get writtenCount(): number {
    return this.#records.length;
  }

  /** The committed record of this number, counted from the oldest. */
  at(index: number): Record | undefined {
    return index < this.#committed ? this.#records[index] : undefined;
  }

  /** Number of the first committed record at or after a position. */
  indexOf(position: bigint): number {
    let low = 0;
    let high = this.#committed;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.#records[middle]!.position < position) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  stream(name: string): StreamState | undefined {
    return this.#streams.get(name);
  }

  /** Calls back after each commit, until the function returned is called. */
  onCommit(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Everything written so far is safe on a majority. */
  commit(): void {
    this.#committed = this.#records.length;
    for (const listener of [...this.#listeners]) listener();
  }

  /** Loses what was never committed: its leader is no more. */
  dropUncommitted(): void {
    const first = this.#records[this.#committed];
    if (!first) return;
    this.#records.length = this.#committed;
    for (const stream of this.#streams.values()) stream.truncate(first.position);
  }

  append(name: string, expected: Expectation, events: readonly Proposal[]): AppendOutcome {
    const stream = this.#streams.get(name) ?? new StreamState();
    if (stream.isTombstoned) return { kind: 'stream-deleted' };
    const verdict = this.#judge(stream, expected, events);
    if (verdict) return verdict;
    const revived = stream.isSoftDeleted;
    const first = stream.revision + 1n;
    for (const [index, event] of events.entries()) this.#write(name, first + BigInt(index), event);
    if (revived) this.#setTruncateBefore(name, first);
    const last = this.#streams.get(name)?.records.at(-1);
    return { kind: 'written', revision: last?.revision ?? 0n, position: last?.position ?? 0n };
  }

  /** Soft: the stream reads as absent until somebody appends again. */
  delete(name: string, expected: Expectation): AppendOutcome {
    const stream = this.#streams.get(name) ?? new StreamState();
    if (stream.isTombstoned) return { kind: 'stream-deleted' };
    const absent = stream.records.length === 0;
    if (absent || (typeof expected === 'bigint' && expected !== stream.revision))
      return { kind: 'wrong-expected-version', current: stream.revision };
    const { position } = this.#setTruncateBefore(name, tombstoneRevision);
    return { kind: 'written', revision: stream.revision, position };
  }

  /** Hard: nothing can ever be appended again. */
  tombstone(name: string, expected: Expectation): AppendOutcome {
    const stream = this.#streams.get(name) ?? new StreamState();
    if (stream.isTombstoned) return { kind: 'stream-deleted' };
    if (typeof expected === 'bigint' && expected !== stream.revision)
      return { kind: 'wrong-expected-version', current: stream.revision };
    const { revision, position } = this.#write(name, tombstoneRevision, {
      id: randomUUID(),
      type: '$streamDeleted',
      contentType: 'application/octet-stream',
      data: new Uint8Array(),
      metadata: new Uint8Array(),
    });
    return { kind: 'written', revision, position };
  }

  /** Null where the events are to be written; an earlier answer where they were written before. */
  #judge(stream: StreamState, expected: Expectation, events: readonly Proposal[]): AppendOutcome | null {
    const current = stream.revision;
    const wrong: AppendOutcome = { kind: 'wrong-expected-version', current };
    if (expected === 'any') return this.#repeatAnywhere(stream, events) ?? null;
    if (expected === 'stream-exists') return current >= 0n ? (this.#repeatAnywhere(stream, events) ?? null) : wrong;
    if (expected === 'no-stream' && stream.isSoftDeleted) return null;
    const revision = expected === 'no-stream' ? -1n : expected;
    if (revision === current) return null;
    if (revision > current) return wrong;
    return repeatAt(stream, Number(revision) + 1, events) ?? wrong;
  }

  #repeatAnywhere(stream: StreamState, [first, ...rest]: readonly Proposal[]): AppendOutcome | undefined {
    const at = stream.records.findIndex(({ id }) => id === first?.id);
    if (at < 0) return undefined;
    return repeatAt(stream, at, [first!, ...rest]) ?? { kind: 'wrong-expected-version', current: stream.revision };
  }

  #setTruncateBefore(name: string, revision: bigint): Record {
    return this.#write(`$$${name}`, (this.#streams.get(`$$${name}`)?.revision ?? -1n) + 1n, {
      id: randomUUID(),
      type: '$metadata',
      contentType: 'application/json',
      data: Buffer.from(`{"$tb":${revision}}`),
      metadata: new Uint8Array(),
    });
  }

  #write(name: string, revision: bigint, event: Proposal): Record {
    const stream = this.#streams.get(name) ?? new StreamState();
    this.#streams.set(name, stream);
    const record: Record = { ...event, stream: name, revision, position: this.#end, created: Date.now() };
    this.#end += BigInt(framing + event.data.length + event.metadata.length + event.type.length);
    stream.records.push(record);
    this.#records.push(record);
    if (name.startsWith('$$')) {
      const described = this.#streams.get(name.slice(2)) ?? new StreamState();
      this.#streams.set(name.slice(2), described);
      described.applyMetadata(record);
    }
    return record;
  }
}

function repeatAt(stream: StreamState, start: number, events: readonly Proposal[]): AppendOutcome | null {
  const there = stream.records.slice(start, start + events.length);
  if (there.length < events.length || there.some(({ id }, index) => id !== events[index]!.id)) return null;
  const last = there.at(-1)!;
  return { kind: 'written', revision: last.revision, position: last.position };
}
