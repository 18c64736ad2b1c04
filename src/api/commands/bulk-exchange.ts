import type { ServerResponse } from 'node:http';
import type { Readable } from 'node:stream';
import type { CommandRequest } from '../../runtime/command.ts';
import type { Attempted } from '../access/audit.ts';
import { requireRole, requireTime } from '../access/auth.ts';
import { roleForCommand } from '../access/roles.ts';
import { isBlank, type Line, LineSplitter } from '../http/ndjson.ts';
import { type Problem, passingProblem, problemOf, problemText, refusalProblem } from '../problems/problem.ts';
import { type BulkContext, bulkCommand } from './bulk-command.ts';
import type { CommandGate } from './command-gate.ts';
import { changeText } from './commands.ts';

export interface BulkLimits {
  /** Bulk requests open at the same time. */
  readonly maxRequests: number;
  readonly maxLineBytes: number;
  /** Lines worked on at the same time. */
  readonly window: number;
  /** How long the caller may leave verdicts unread before the connection is given up. */
  readonly lagMs: number;
}

export interface BulkOptions extends BulkLimits {
  readonly gate: CommandGate;
  readonly context: BulkContext;
  readonly withState: boolean;
  /** Aborts when the server shuts down. */
  readonly stopping: AbortSignal;
  readonly onRefused: (command: Attempted | null, problem: Problem) => void;
  readonly onFault: (error: unknown) => void;
}

/** Verdicts kept for a caller who writes for a while before beginning to read. */
const maxUnreadBytes = 4_000_000;

/** Lines worked on at the same time hold so many bytes together, so that long ones are fewer. */
const maxWindowBytes = 4_000_000;

/** How long what the caller still sends is taken in, and dropped, after the last verdict of a server that stops. */
const farewellMs = 1_000;

/** The place of one line's verdict among the others: answers leave in the order in which the lines came. */
interface Slot {
  readonly bytes: number;
  verdict: string | null;
}

/** One bulk request: lines in, verdicts out, in the same order, neither side faster than the other can stand. */
export class BulkExchange {
  readonly #options: BulkOptions;
  readonly #out: ServerResponse;
  readonly #slots: Slot[] = [];
  #lines = 0;
  #previous: Promise<void> = Promise.resolve();
  #bytes = 0;
  #writing = false;
  #wake: () => void = () => {};

  constructor(out: ServerResponse, options: BulkOptions) {
    this.#out = out;
    this.#options = options;
    for (const event of ['close', 'drain'] as const) out.on(event, () => this.#wake());
    const over = new AbortController();
    out.once('close', () => over.abort());
    options.stopping.addEventListener('abort', () => this.#wake(), { once: true, signal: over.signal });
  }

  async run(payload: Readable): Promise<void> {
    const splitter = new LineSplitter(this.#options.maxLineBytes);
    let hasNews = false;
    for (const event of ['readable', 'end', 'close', 'error']) {
      payload.on(event, () => {
        hasNews = true;
        this.#wake();
      });
    }
    // Read by hand: an iterator could not be left while it waits for a caller who is silent when the server stops.
    while (!payload.readableEnded && !this.#isOver) {
      hasNews = false;
      const chunk = payload.read() as Buffer | null;
      if (chunk) await this.#takeAll(splitter.push(chunk));
      else await this.#until(() => hasNews || this.#isOver);
    }
    if (!this.#isOver) await this.#takeAll(splitter.end());
    await this.#until(() => this.#slots.length === 0);
    if (this.#options.stopping.aborted) this.#sayFarewell(payload);
    this.#out.end();
  }

  /** Whether no more lines are to be taken. */
  get #isOver(): boolean {
    return this.#options.stopping.aborted || this.#out.destroyed;
  }

  /** Takes lines as there is room for them. */
  async #takeAll(lines: Iterable<Line>): Promise<void> {
    for (const line of lines) {
      if (!this.#hasRoom) await this.#until(() => this.#hasRoom || this.#isOver);
      if (this.#isOver) return;
      this.#take(line);
    }
  }

  /** One line at a time there is always room for; more must not crowd out the lines of others. */
  get #hasRoom(): boolean {
    if (this.#out.writableLength >= maxUnreadBytes) return false;
    if (this.#slots.length === 0) return true;
    const { window, gate } = this.#options;
    return this.#slots.length < window && this.#bytes < maxWindowBytes && !gate.isCrowded;
  }

  #take(line: Line): void {
    const number = ++this.#lines;
    if (line !== 'too-long' && isBlank(line)) return;
    const slot: Slot = { bytes: line.length, verdict: null };
    this.#bytes += slot.bytes;
    this.#slots.push(slot);
    try {
      this.#give(bulkCommand(line, this.#options.context), slot, number);
    } catch (error) {
      this.#settle(slot, this.#failure(number, null, error));
    }
  }

  /** What a caller may do who is confined to a project can depend on the line before; others' lines go together. */
  #give(command: CommandRequest, slot: Slot, number: number): void {
    if (this.#options.context.caller.confinedTo === undefined) void this.#carryOut(command, slot, number);
    else this.#previous = this.#previous.then(() => this.#carryOut(command, slot, number));
  }

  /** Commands on one resource keep their order: the runtime decides them in the order in which they are given to it. */
  async #carryOut(command: CommandRequest, slot: Slot, number: number): Promise<void> {
    try {
      const { caller } = this.#options.context;
      requireTime(caller);
      requireRole(caller, roleForCommand(command.type));
      const outcome = await this.#options.gate.executeInTurn(command, caller);
      if (outcome.outcome === 'refused') throw refusalProblem(outcome.refusal, outcome.revision);
      const state = this.#options.withState ? `,"state":${outcome.stateText}` : '';
      this.#settle(slot, `{"line":${number},"status":200,${changeText(outcome)}${state}}\n`);
    } catch (error) {
      const attempted = { ...command.resource, type: command.type };
      this.#settle(slot, this.#failure(number, attempted, error));
    }
  }

  #failure(line: number, command: Attempted | null, error: unknown): string {
    const problem = problemOf(error);
    if (problem.slug === 'internal-error') this.#options.onFault(error);
    else if (problem.type.status < 500) this.#options.onRefused(command, problem);
    return `${problemText(problem, { line })}\n`;
  }

  #settle(slot: Slot, verdict: string): void {
    slot.verdict = verdict;
    if (this.#writing || slot !== this.#slots[0]) return;
    // What is durable together is answered together: the acknowledgements of one write come in the same turn.
    this.#writing = true;
    setImmediate(() => this.#write());
  }

  #write(): void {
    this.#writing = false;
    let settled = 0;
    let verdicts = '';
    for (; settled < this.#slots.length; settled++) {
      const { verdict, bytes } = this.#slots[settled]!;
      if (verdict === null) break;
      verdicts += verdict;
      this.#bytes -= bytes;
    }
    this.#slots.splice(0, settled);
    if (!this.#out.destroyed) this.#out.write(verdicts);
    this.#wake();
  }

  /** Waits until the condition holds or the caller is gone, and gives up a caller who stopped reading. */
  async #until(condition: () => boolean): Promise<void> {
    while (!condition() && !this.#out.destroyed) {
      const giveUp = setTimeout(() => this.#out.writableNeedDrain && this.#out.destroy(), this.#options.lagMs);
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
      clearTimeout(giveUp);
    }
  }

  /** Tells the caller which line was the first that was not carried out. */
  #sayFarewell(payload: Readable): void {
    const detail = 'The server is stopping. This line and those after it were not carried out.';
    this.#out.write(`${problemText(passingProblem('shutting-down', detail), { line: this.#lines + 1 })}\n`);
    payload.resume();
    setTimeout(() => payload.destroy(), farewellMs).unref();
  }
}
