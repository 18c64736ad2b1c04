import {
  type AppendRequest,
  type EventStore,
  type LedgerInfo,
  type RecordedEvent,
  startPosition,
} from '../../store/event-store.ts';
import type { ExportFile } from './export-file.ts';
import type { ReceiptLine } from './format.ts';
import type { StoredCommand } from './stored-command.ts';

/**
 * Appends on their way at one time. An engine that takes them in the order they come shares one fsync among many; a
 * cluster may take two that are under way together in either order, and the order must be kept.
 */
const appendsInFlight: Readonly<Record<LedgerInfo['engine'], number>> = { sqlite: 4096, memory: 4096, eventstoredb: 1 };

export interface ImportResult {
  readonly events: number;
  readonly receipts: number;
  /** Events that were there already, from an import that was interrupted. */
  readonly found: number;
  /** Whether every event has the position it had; some engines give their own. */
  readonly positionsKept: boolean;
}

/** The ledger holds something else than the file begins with. */
export class ImportError extends Error {
  override readonly name = 'ImportError';
}

/**
 * Brings an export into a ledger, each command's events and receipt in one append, as they were first stored. What the
 * ledger holds already must be what the file begins with; the import goes on after that.
 *
 * @throws FormatError for a file that is not whole, ImportError for a ledger that holds something else
 */
export async function importLedger(
  file: ExportFile,
  store: EventStore,
  onEvent: (events: number) => void = () => {},
): Promise<ImportResult> {
  const held = new Held(store);
  const appends = new Appends(store);
  try {
    for await (const command of file.commands()) {
      if (!(await held.holds(command))) await appends.command(command);
      onEvent(file.events);
    }
    await held.expectEnd();
  } finally {
    await held.close();
    await appends.settle();
  }
  // Last, so that nobody inside a server that is started too early believes to have seen what is still to come.
  for (const [name, after] of file.checkpoints) {
    await store.saveCheckpoint({ name, position: after?.storedAt ?? startPosition });
  }
  const { events, receipts } = file;
  return { events, receipts, found: held.found, positionsKept: appends.positionsKept };
}

/** What the ledger held before, compared with the file step by step. */
class Held {
  readonly #store: EventStore;
  readonly #events: AsyncIterator<RecordedEvent>;
  #last: StoredCommand | null = null;
  #exhausted = false;
  found = 0;

  constructor(store: EventStore) {
    this.#store = store;
    this.#events = store.readAll()[Symbol.asyncIterator]();
  }

  async holds(command: StoredCommand): Promise<boolean> {
    if (this.#exhausted) return false;
    for (const event of command.events) {
      const there = await this.#events.next();
      if (there.done) {
        await this.#finishLast();
        return false;
      }
      if (!sameEvent(there.value, event))
        throw new ImportError(
          `The ledger holds ${describe(there.value)} where the file has ${describe(event)}: it is not the beginning of this file.`,
        );
      this.found++;
      command.storedAt = there.value.position;
    }
    this.#last = command;
    return true;
  }

  async expectEnd(): Promise<void> {
    if (this.#exhausted) return;
    const more = await this.#events.next();
    if (!more.done)
      throw new ImportError(`The ledger goes on after the end of the file, with ${describe(more.value)}.`);
    await this.#finishLast();
  }

  async close(): Promise<void> {
    await this.#events.return?.();
  }

  /** Appends come in order, so only receipts that follow the very last event can be missing; giving one again is safe. */
  async #finishLast(): Promise<void> {
    this.#exhausted = true;
    for (const receipt of this.#last?.idleReceipts ?? []) await this.#store.append(idleAppend(receipt));
  }
}

/** Sends appends without waiting for each, and stops at the first that fails. */
class Appends {
  readonly #store: EventStore;
  readonly #limit: number;
  readonly #inFlight: Promise<void>[] = [];
  #failure: { readonly error: unknown } | null = null;
  positionsKept = true;

  constructor(store: EventStore) {
    this.#store = store;
    this.#limit = appendsInFlight[store.info.engine];
  }

  async command(command: StoredCommand): Promise<void> {
    await this.#send(commandAppend(command), (position) => {
      command.storedAt = position;
      this.positionsKept &&= position === command.last.position;
    });
    for (const receipt of command.idleReceipts) await this.#send(idleAppend(receipt), () => {});
  }

  async settle(): Promise<void> {
    await Promise.all(this.#inFlight);
    if (this.#failure) throw this.#failure.error;
  }

  async #send(request: AppendRequest, onStored: (position: string) => void): Promise<void> {
    if (this.#inFlight.length >= this.#limit) await this.#inFlight.shift();
    if (this.#failure) throw this.#failure.error;
    this.#inFlight.push(
      this.#store.append(request).then(
        ({ position }) => onStored(position),
        (error) => {
          this.#failure ??= { error };
        },
      ),
    );
  }
}

function commandAppend({ events, first, receipt }: StoredCommand): AppendRequest {
  return {
    stream: first.stream,
    expectedRevision: first.revision - 1,
    events: events.map(({ id, type, v, time, dataText, metadataText }) => ({
      id,
      type,
      v,
      time,
      data: dataText,
      metadata: metadataText,
    })),
    ...(receipt && { receipt: { commandId: receipt.commandId, bodyHash: receipt.bodyHash } }),
  };
}

const idleAppend = ({ stream, lastRevision, commandId, bodyHash }: ReceiptLine): AppendRequest => ({
  stream,
  expectedRevision: lastRevision,
  events: [],
  receipt: { commandId, bodyHash },
});

const sameEvent = (a: RecordedEvent, b: RecordedEvent): boolean =>
  a.id === b.id &&
  a.stream === b.stream &&
  a.revision === b.revision &&
  a.type === b.type &&
  a.v === b.v &&
  a.time === b.time &&
  a.dataText === b.dataText &&
  a.metadataText === b.metadataText;

const describe = ({ type, stream, revision }: RecordedEvent): string => `${type} at revision ${revision} of ${stream}`;
