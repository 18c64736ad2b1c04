import type { Deadline } from '../domain/kernel/aggregate.ts';
import { type ResourceRef, streamOf } from '../domain/kernel/resource.ts';
import { type Clock, timestamp } from './clock.ts';

/** A deadline, and the request that led to it: what the clock does then belongs to the same operation. */
export interface SetDeadline extends Deadline {
  readonly correlationId?: string;
}

/** Carries out what is due on one resource and says what it waits for next. */
export type MeetDeadline = (resource: ResourceRef, due: SetDeadline) => Promise<readonly Deadline[]>;

/** How long to wait before trying again what could not be stored. */
const retryMs = 1000;

/** So many entries that were replaced are not worth looking for. */
const slack = 1000;

/** Never given: it is the resource's own deadlines that are met, and this is none of them. */
const nothingToDo = { type: '', data: {} };

interface Waiting {
  readonly resource: ResourceRef;
  readonly deadlines: readonly SetDeadline[];
  readonly at: string;
}

/**
 * The ledger's alarm clock: one timer for the earliest deadline of all resources. What is due is decided by the
 * resource itself, so a deadline that is met twice, or late, changes nothing more.
 */
export class Deadlines {
  readonly #clock: Clock;
  readonly #meet: MeetDeadline;
  readonly #onError: (error: unknown) => void;
  readonly #waiting = new Map<string, Waiting>();
  /** Entries of `#waiting`, earliest first; one that was replaced since stays until it comes up, or there are too many. */
  readonly #queue: Waiting[] = [];
  #cancel: () => void = () => {};
  #armedFor: string | null = null;
  #closed = false;

  constructor(clock: Clock, meet: MeetDeadline, onError: (error: unknown) => void) {
    this.#clock = clock;
    this.#meet = meet;
    this.#onError = onError;
  }

  get count(): number {
    return this.#waiting.size;
  }

  /**
   * What a resource waits for from now on; replaces what it waited for before.
   * @param correlationId the operation that new deadlines belong to; those that were there before keep theirs
   */
  set(resource: ResourceRef, deadlines: readonly Deadline[], correlationId?: string): void {
    const stream = streamOf(resource);
    if (deadlines.length === 0) {
      this.#waiting.delete(stream);
      return;
    }
    const at = deadlines.map((deadline) => deadline.at).sort()[0]!;
    const before = this.#waiting.get(stream)?.deadlines ?? [];
    const waiting = { resource, deadlines: deadlines.map((each) => ofOperation(each, before, correlationId)), at };
    this.#waiting.set(stream, waiting);
    push(this.#queue, waiting);
    if (this.#queue.length > 2 * this.#waiting.size + slack) this.#dropReplaced();
    this.#arm();
  }

  /** Asks the resource in a moment what it waits for: what is known of it here may not be what is recorded. */
  reviseSoon(resource: ResourceRef): void {
    this.set(resource, [{ name: 'revision', at: timestamp(this.#clock.now() + retryMs), command: nothingToDo }]);
  }

  /** A busy resource leaves an entry behind each time; those of one whose deadline is far away would pile up till then. */
  #dropReplaced(): void {
    this.#queue.length = 0;
    for (const waiting of this.#waiting.values()) push(this.#queue, waiting);
  }

  close(): void {
    this.#closed = true;
    this.#cancel();
  }

  #arm(): void {
    const next = this.#next();
    if (!next || this.#closed || next.at === this.#armedFor) return;
    this.#cancel();
    this.#armedFor = next.at;
    this.#cancel = this.#clock.schedule(Date.parse(next.at), () => this.#fire());
  }

  async #fire(): Promise<void> {
    this.#armedFor = null;
    for (let next = this.#next(); next && this.#isDue(next) && !this.#closed; next = this.#next()) {
      pop(this.#queue);
      await this.#meetAll(next);
    }
    this.#arm();
  }

  /** Each due deadline of one resource, in order of time. What is left is set anew from the state it leads to. */
  async #meetAll(waiting: Waiting): Promise<void> {
    const { resource, deadlines } = waiting;
    const due = deadlines.filter((each) => this.#isDue(each)).sort((a, b) => (a.at < b.at ? -1 : 1));
    try {
      let left: readonly Deadline[] = [];
      for (const deadline of due) left = await this.#meet(resource, deadline);
      if (this.#waiting.get(streamOf(resource)) !== waiting) return; // the command has set them already
      // One that was met and is as due as before was refused: it is not met again and again.
      const refused = (each: Deadline): boolean =>
        this.#isDue(each) && due.some(({ name, at }) => name === each.name && at === each.at);
      this.set(
        resource,
        left.filter((each) => !refused(each)),
      );
    } catch (error) {
      this.#onError(error);
      this.set(resource, [{ ...due[0]!, at: timestamp(this.#clock.now() + retryMs) }]);
    }
  }

  /** By the clock as it is now: where it was set back, what was due is not due any more, and will be again. */
  #isDue({ at }: { readonly at: string }): boolean {
    return at <= timestamp(this.#clock.now());
  }

  #next(): Waiting | undefined {
    while (this.#queue[0] && this.#waiting.get(streamOf(this.#queue[0].resource)) !== this.#queue[0]) pop(this.#queue);
    return this.#queue[0];
  }
}

/** One that signs of life have moved, without any command that led to an event, is still the same. */
function ofOperation(deadline: Deadline, before: readonly SetDeadline[], correlationId?: string): SetDeadline {
  const known = before.find(({ name }) => name === deadline.name);
  const operation = known?.at === deadline.at ? known.correlationId : (correlationId ?? known?.correlationId);
  return operation === undefined ? deadline : { ...deadline, correlationId: operation };
}

/** A binary heap by `at`. */
function push(heap: Waiting[], waiting: Waiting): void {
  let index = heap.push(waiting) - 1;
  while (index > 0) {
    const parent = (index - 1) >> 1;
    if (heap[parent]!.at <= waiting.at) break;
    heap[index] = heap[parent]!;
    index = parent;
  }
  heap[index] = waiting;
}

function pop(heap: Waiting[]): void {
  const last = heap.pop()!;
  if (heap.length === 0) return;
  let index = 0;
  for (;;) {
    const left = 2 * index + 1;
    if (left >= heap.length) break;
    const child = heap[left + 1] && heap[left + 1]!.at < heap[left]!.at ? left + 1 : left;
    if (heap[child]!.at >= last.at) break;
    heap[index] = heap[child]!;
    index = child;
  }
  heap[index] = last;
}
