import type { CommandAnswer, ResourceRef, Verdict } from './answers.ts';
import { inBatches } from './batches.ts';
import { ConnectionError, type Problem, ProblemError } from './errors.ts';
import { newKey } from './idempotency-key.ts';
import type { Command, Kind } from './kinds.ts';
import { parseNdjson } from './ndjson.ts';
import { delayAfter, isTransient, sleep } from './retry.ts';
import type { Transport } from './transport.ts';

/** One command of many, with the resource it goes to. */
export type BulkCommand = {
  [K in Kind]: Command<K> & {
    readonly kind: K;
    readonly id: string;
    /** A key of your own. Default: a random one. */
    readonly key?: string;
    readonly ifMatch?: number;
  };
}[Kind];

export interface BulkOptions {
  /** Commands sent in one request; 1000 unless said otherwise. */
  readonly batchSize?: number;
  /** How long a source that has nothing to give at the moment is waited for before what there is goes out; 5 ms. */
  readonly lingerMs?: number;
  /** Ties together everything this undertaking causes. */
  readonly correlationId?: string;
  readonly signal?: AbortSignal;
}

/** Gives commands in batches, and their verdicts in the same order. */
export async function* executeAll(
  transport: Transport,
  commands: AsyncIterable<BulkCommand> | Iterable<BulkCommand>,
  options: BulkOptions,
): AsyncGenerator<Verdict, void, undefined> {
  const { batchSize = 1000, lingerMs = 5 } = options;
  for await (const batch of inBatches(commands, batchSize, lingerMs)) {
    yield* new Batch(transport, batch, options).verdicts();
  }
}

interface WireDone extends Omit<CommandAnswer, 'state'> {
  readonly line: number;
  readonly status: 200;
}
type WireVerdict = WireDone | (Problem & { readonly line: number });

/** A command's place in its batch. */
interface Slot {
  readonly key: string;
  readonly resource: ResourceRef;
  readonly text: string;
  /** Why it was not carried out. Without a verdict: not yet, since the server is overloaded, stops, or cannot write. */
  problem: Problem | null;
  verdict: Verdict | null;
}

/** Commands that go out together, again and again until each has its verdict. Their keys make that safe. */
class Batch {
  readonly #transport: Transport;
  readonly #options: BulkOptions;
  readonly #slots: readonly Slot[];
  #given = 0;

  constructor(transport: Transport, commands: readonly BulkCommand[], options: BulkOptions) {
    this.#transport = transport;
    this.#options = options;
    this.#slots = commands.map(slotOf);
  }

  async *verdicts(): AsyncGenerator<Verdict, void, undefined> {
    const { retry } = this.#transport;
    let tried = 0;
    for (let open = this.#open(); open.length > 0; open = this.#open()) {
      let failure: unknown = null;
      try {
        for await (const verdict of this.#send(open)) {
          this.#take(open, verdict);
          yield* this.#ready();
        }
      } catch (error) {
        failure = error;
      }
      const left = this.#open();
      if (left.length === 0) break;
      failure ??= this.#reasonFor(left);
      tried = left.length < open.length ? 1 : tried + 1;
      if (!isTransient(failure)) throw failure;
      if (tried < retry.attempts) await sleep(delayAfter(retry, tried, failure), this.#options.signal);
      else if (left.every(({ problem }) => problem)) left.forEach(giveUp);
      else throw failure;
    }
    yield* this.#ready();
  }

  #open(): Slot[] {
    return this.#slots.filter(({ verdict }) => verdict === null);
  }

  /** Verdicts leave in the order of the commands. */
  *#ready(): Generator<Verdict, void, undefined> {
    for (let slot = this.#slots[this.#given]; slot?.verdict; slot = this.#slots[++this.#given]) yield slot.verdict;
  }

  async *#send(open: readonly Slot[]): AsyncGenerator<WireVerdict, void, undefined> {
    const { correlationId, signal } = this.#options;
    const body = await this.#transport.stream({
      path: '/v1/commands',
      body: open.map(({ text }) => `${text}\n`).join(''),
      headers: {
        'content-type': 'application/x-ndjson',
        accept: 'application/x-ndjson',
        ...(correlationId !== undefined && { 'x-correlation-id': correlationId }),
      },
      signal,
    });
    yield* parseNdjson<WireVerdict>(body, this.#transport.timeoutMs);
  }

  #take(sent: readonly Slot[], wire: WireVerdict): void {
    const slot = sent[wire.line - 1];
    if (!slot) return; // the farewell of a server that stops after the last line
    if (isDone(wire)) {
      const { line: _, status: __, ...answer } = wire;
      slot.verdict = { done: true, key: slot.key, ...answer };
    } else {
      const { line: _, ...problem } = wire;
      slot.problem = problem as Problem;
      if (isTransient(new ProblemError(slot.problem))) return;
      giveUp(slot);
    }
    this.#giveUpOvertaken(sent, slot);
  }

  /** A command that was postponed must not be carried out after a later one on the same resource was. */
  #giveUpOvertaken(sent: readonly Slot[], settled: Slot): void {
    const { kind, id } = settled.resource;
    for (const slot of sent) {
      if (slot === settled) return;
      if (slot.problem && slot.resource.kind === kind && slot.resource.id === id) giveUp(slot);
    }
  }

  #reasonFor(left: readonly Slot[]): Error {
    const problem = left.find((slot) => slot.problem)?.problem;
    if (problem) return new ProblemError(problem);
    const url = this.#transport.url({ path: '/v1/commands' });
    return new ConnectionError(url, `${url} ended before the last verdict.`, { transient: true });
  }
}

function slotOf(command: BulkCommand): Slot {
  const { kind, id, key = newKey() } = command;
  const text = JSON.stringify({ ...command, key });
  return { key, resource: { kind, id }, text, problem: null, verdict: null };
}

const isDone = (wire: WireVerdict): wire is WireDone => wire.status === 200;

/** The last word of the server on this command stays the last one. */
function giveUp(slot: Slot): void {
  const { key, resource, problem } = slot;
  slot.verdict ??= { done: false, key, resource, problem: problem! };
}
