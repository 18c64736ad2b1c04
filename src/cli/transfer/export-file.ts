import { RecordedEvent } from '../../store/event-store.ts';
import { StreamCheck } from '../verify/stream-check.ts';
import { type EndLine, type EventLine, FormatError, type LedgerLine, parseLine, type ReceiptLine } from './format.ts';
import type { LineReader } from './line-file.ts';
import { StoredCommand } from './stored-command.ts';

/** An export as it is read: its first line, then command by command to its end. Whatever is wrong with it is thrown. */
export class ExportFile {
  readonly #reader: LineReader;
  readonly #lines: AsyncGenerator<string, void, undefined>;
  readonly #check = new StreamCheck(({ check, detail }) => this.#wrong(`breaks its stream (${check}): ${detail}`));
  #command: StoredCommand | null = null;
  /** Readers, each with the command after which it stood; null for one that stood at the beginning. */
  readonly checkpoints = new Map<string, StoredCommand | null>();
  events = 0;
  receipts = 0;

  constructor(reader: LineReader) {
    this.#reader = reader;
    this.#lines = reader.lines();
  }

  /** The first line: what ledger this is. @throws FormatError */
  async ledger(): Promise<LedgerLine> {
    const first = await this.#lines.next();
    const line = first.done ? null : parseLine(first.value, 1);
    if (line?.kind !== 'ledger') throw new FormatError(1, 'is not the beginning of an export');
    return line.value;
  }

  /** What follows. @throws FormatError where the file was cut off or changed, or a stream's chain breaks */
  async *commands(): AsyncGenerator<StoredCommand, void, undefined> {
    for (let text = await this.#lines.next(); !text.done; text = await this.#lines.next()) {
      const line = parseLine(text.value, this.#reader.line);
      if (line.kind === 'event') {
        const complete = this.#event(line.value);
        if (complete) yield complete;
      } else if (line.kind === 'receipt') {
        this.#receipt(line.value);
      } else if (line.kind === 'checkpoint') {
        this.checkpoints.set(line.value.name, this.#command);
      } else if (line.kind === 'end') {
        await this.#end(line.value);
        if (this.#command) yield this.#command;
        return;
      } else this.#wrong('begins another ledger');
    }
    throw new FormatError(this.#reader.line + 1, 'is missing: the file has no end, it was cut off');
  }

  /** Takes the next event; gives the command before it, if the event is not of the same. */
  #event(line: EventLine): StoredCommand | null {
    this.events++;
    const event = new RecordedEvent(line.stream, line.revision, line.position, line);
    this.#check.event(event);
    const before = this.#command;
    if (before?.includes(event)) {
      before.events.push(event);
      return null;
    }
    this.#command = new StoredCommand(event);
    return before;
  }

  #receipt(receipt: ReceiptLine): void {
    this.receipts++;
    const problem = this.#command ? this.#command.problemWith(receipt) : 'comes before any event';
    if (problem !== null) this.#wrong(`holds a receipt that ${problem}`);
    this.#command!.keep(receipt);
  }

  async #end({ sha256, ...counts }: EndLine): Promise<void> {
    const found = { events: this.events, receipts: this.receipts, checkpoints: this.checkpoints.size };
    for (const [name, count] of Object.entries(found)) {
      const counted = counts[name as keyof typeof found];
      if (count !== counted) this.#wrong(`counts ${counted} ${name}; there are ${count}`);
    }
    if (sha256 !== this.#reader.digestBefore())
      this.#wrong('does not match the lines before it: one of them was changed');
    if (!(await this.#lines.next()).done) this.#wrong('stands after the end');
  }

  #wrong(problem: string): never {
    throw new FormatError(this.#reader.line, problem);
  }
}
