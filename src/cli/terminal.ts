import type { Command } from 'commander';
import type { Failure } from './failure.ts';
import { type Style, styleFor } from './output/style.ts';

/** What may stand before or after every command. */
export interface GlobalOptions {
  readonly url: string;
  readonly token?: string;
  readonly json?: boolean;
}

/** Where a command's answer goes: lines for people, or with `--json` documents for programs. */
export class Terminal {
  readonly json: boolean;
  readonly style: Style;
  /** Columns there are to write in; unlimited where nobody looks at them. */
  readonly width: number;

  constructor(json: boolean) {
    this.json = json;
    this.style = styleFor(process.stdout.isTTY === true, process.env);
    this.width = process.stdout.isTTY ? process.stdout.columns : Number.POSITIVE_INFINITY;
  }

  static of(command: Command): Terminal {
    return new Terminal(command.optsWithGlobals<GlobalOptions>().json === true);
  }

  print(...lines: readonly string[]): void {
    process.stdout.write(lines.map((line) => `${line}\n`).join(''));
  }

  document(value: unknown): void {
    this.print(JSON.stringify(value));
  }

  /** What is no part of the answer: progress, warnings, how it went where the answer itself is a file. */
  note(...lines: readonly string[]): void {
    process.stderr.write(lines.map((line) => `${line}\n`).join(''));
  }

  fail({ error, hints, details }: Failure): void {
    if (this.json) {
      this.note(JSON.stringify({ error, hints, ...details }));
      return;
    }
    const { red } = styleFor(process.stderr.isTTY === true, process.env);
    const [first, ...more] = error.split('\n');
    this.note(`${red('stackledger:')} ${first}`, ...more, ...hints.map((hint) => `  ${hint}`));
  }
}
