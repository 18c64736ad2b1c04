import type { Actor, HistoryEntry } from '../../client/answers.ts';
import { formatDuration } from './duration.ts';
import type { Change } from './patch.ts';
import type { Style } from './style.ts';
import { shorten } from './table.ts';

/** Where the text begins, after revision, time and distance: everything about an event stands under its name. */
const indent = 34;

/** Members that change with every event and say nothing that the line above does not say. */
const bookkeeping = new Set(['/revision', '/updatedAt', '/createdAt', '/id']);

/** What a state begins with is worth a line only where it holds something. */
const empty = new Set(['null', '""', '[]', '{}']);

const isTelling = ({ path, before, after }: Change): boolean =>
  !bookkeeping.has(path) && !(before === undefined && empty.has(JSON.stringify(after)));

/**
 * A history as lines: one for each event, with what it changed below. Days are said once.
 *
 *     2026-11-29
 *         3  20:27:21.000  4 min 12 s  ProvisioningComplete · agent compute-17
 *                                      BUILD → ACTIVE; BUILD had lasted 4 min 12 s
 */
export class HistoryLines {
  readonly #style: Style;
  readonly #width: number;
  #day = '';

  constructor(style: Style, width: number) {
    this.#style = style;
    this.#width = Math.max(width, 60);
  }

  entry(entry: HistoryEntry, changes: readonly Change[] = []): string[] {
    const { bold, dim, red } = this.#style;
    const { revision, time, type, actor, sincePreviousMs, statusChange, unfoldable } = entry;
    const after = sincePreviousMs === null ? '' : formatDuration(sincePreviousMs);
    const place = `${String(revision).padStart(5)}  ${time.slice(11, 23)}  ${after.padStart(11)}  `;
    return [
      ...this.#dayLine(time),
      `${place}${bold(type)} ${dim(`· ${describeActor(actor)}`)}`,
      ...(statusChange ? [`${margin}${this.#statusLine(statusChange)}`] : []),
      ...(unfoldable === undefined ? [] : [`${margin}${red(unfoldable)}`]),
      ...changes.filter(isTelling).map((change) => `${margin}${this.#changeLine(change)}`),
    ];
  }

  #dayLine(time: string): string[] {
    const day = time.slice(0, 10);
    if (day === this.#day) return [];
    this.#day = day;
    return [this.#style.dim(day)];
  }

  #statusLine({ from, to, lastedMs }: NonNullable<HistoryEntry['statusChange']>): string {
    const { cyan } = this.#style;
    if (from === null) return cyan(to);
    const lasted = lastedMs === null ? '' : `; ${from} had lasted ${formatDuration(lastedMs)}`;
    return `${cyan(`${from} → ${to}`)}${lasted}`;
  }

  #changeLine({ path, before, after }: Change): string {
    const { green, red, yellow } = this.#style;
    const room = this.#width - indent - 2;
    if (before === undefined) return green(shorten(`+ ${path}  ${text(after)}`, room));
    if (after === undefined) return red(shorten(`- ${path}  ${text(before)}`, room));
    return yellow(shorten(`~ ${path}  ${text(before)} → ${text(after)}`, room));
  }
}

const margin = ' '.repeat(indent);

const text = (value: unknown): string => (typeof value === 'string' && value !== '' ? value : JSON.stringify(value));

export const describeActor = (actor: Actor | null): string => (actor ? `${actor.type} ${actor.id}` : 'somebody');
