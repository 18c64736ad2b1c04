import { z } from 'zod';
import type { LedgerInfo, RecordedEvent, StreamReceipt } from '../../store/event-store.ts';

/**
 * The file a ledger travels in: a line for the ledger, a line for each event in position order, each followed by lines
 * for the receipts that point to it and the checkpoints that stand there, and a last line by which a file that was cut
 * off or changed is noticed. Each line is a JSON object with one key that says what the line is; docs/cli.md describes
 * them.
 */
export const formatVersion = 1;

/** JSON text stands in the file as the JSON it is, where that keeps it to the byte, and otherwise as a string. */
const isObjectOrString = (value: unknown): boolean =>
  typeof value === 'string' || (typeof value === 'object' && value !== null && !Array.isArray(value));

const jsonText = z
  .custom<object | string>(isObjectOrString, 'must be an object, or the text of one')
  .transform((value) => (typeof value === 'string' ? value : JSON.stringify(value)));

const count = z.number().int().nonnegative();

const Ledger = z.object({
  formatVersion: z.literal(formatVersion, `must be ${formatVersion}: the file is of a newer program`),
  ledgerId: z.string().min(1),
  clock: z.enum(['system', 'manual']),
  createdAt: z.string(),
});
export type LedgerLine = z.infer<typeof Ledger>;

/** An event's place and its text fields as they are stored, to the byte. */
const Event = z.object({
  id: z.string(),
  stream: z.string(),
  revision: count,
  position: z.string(),
  type: z.string(),
  v: z.number().int().positive(),
  time: z.string(),
  data: jsonText,
  metadata: jsonText,
});
export type EventLine = z.infer<typeof Event>;

const Receipt = z.object({
  stream: z.string(),
  commandId: z.string(),
  bodyHash: z.string(),
  eventCount: count,
  lastRevision: count,
});
export type ReceiptLine = z.infer<typeof Receipt>;

/** How far a reader inside the server had come: the event before the line. */
const Checkpoint = z.object({ name: z.string().min(1) });
export type CheckpointLine = z.infer<typeof Checkpoint>;

const End = z.object({ events: count, receipts: count, checkpoints: count, sha256: z.string() });
export type EndLine = z.infer<typeof End>;

const lineSchemas = { ledger: Ledger, event: Event, receipt: Receipt, checkpoint: Checkpoint, end: End };
type LineKind = keyof typeof lineSchemas;
export type Line = {
  [K in LineKind]: { readonly kind: K; readonly value: z.infer<(typeof lineSchemas)[K]> };
}[LineKind];

/** The text as it stands in the file. Not every JSON text survives being read and written: `1.0`, `{"b":0,"1":0}`. */
export function embed(text: string): string {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && isObjectOrString(value) && JSON.stringify(value) === text) return text;
  } catch {
    // Not JSON at all: a fault of the ledger that `verify` names, and that a copy must not hide.
  }
  return JSON.stringify(text);
}

export const ledgerLine = ({ ledgerId, clock, createdAt }: LedgerInfo): string =>
  JSON.stringify({ ledger: { formatVersion, ledgerId, clock, createdAt } satisfies LedgerLine });

export function eventLine(event: RecordedEvent): string {
  const { id, stream, revision, position, type, v, time } = event;
  const place = JSON.stringify({ id, stream, revision, position, type, v, time });
  return `{"event":${place.slice(0, -1)},"data":${embed(event.dataText)},"metadata":${embed(event.metadataText)}}}`;
}

/** Without its position, which is that of the event before it. */
export const receiptLine = ({ stream, commandId, bodyHash, eventCount, lastRevision }: StreamReceipt): string =>
  JSON.stringify({ receipt: { stream, commandId, bodyHash, eventCount, lastRevision } satisfies ReceiptLine });

export const checkpointLine = ({ name }: CheckpointLine): string => JSON.stringify({ checkpoint: { name } });

export const endLine = (end: EndLine): string => JSON.stringify({ end });

/** What a line says. @throws FormatError */
export function parseLine(text: string, number: number): Line {
  const value = parseObject(text, number);
  const [kind, ...others] = Object.keys(value);
  if (others.length > 0 || kind === undefined || !Object.hasOwn(lineSchemas, kind))
    throw new FormatError(number, `is none of ${Object.keys(lineSchemas).join(', ')}`);
  const parsed = lineSchemas[kind as LineKind].safeParse(value[kind]);
  if (parsed.success) return { kind, value: parsed.data } as Line;
  const [issue] = parsed.error.issues;
  throw new FormatError(number, `is wrong at /${[kind, ...issue!.path].join('/')}: ${issue!.message}`);
}

function parseObject(text: string, number: number): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null) return value as Record<string, unknown>;
  } catch {
    // said below
  }
  throw new FormatError(number, 'is not a JSON object');
}

/** A file that is not an export, or not a whole one. */
export class FormatError extends Error {
  override readonly name = 'FormatError';
  readonly line: number;

  constructor(line: number, problem: string) {
    super(`Line ${line} of the file ${problem}.`);
    this.line = line;
  }
}
