export const levels = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;
export type Level = (typeof levels)[number];

/** Structured logs: a JSON object a line, each with its level, time and message. */
export class Log {
  readonly #least: number;
  readonly #write: (line: string) => void;

  constructor(level: Level, write: (line: string) => void) {
    this.#least = levels.indexOf(level);
    this.#write = write;
  }

  get isDebug(): boolean {
    return this.#least <= levels.indexOf('debug');
  }

  debug(message: string, fields?: Readonly<Record<string, unknown>>): void {
    this.#log('debug', message, fields);
  }

  info(message: string, fields?: Readonly<Record<string, unknown>>): void {
    this.#log('info', message, fields);
  }

  warn(message: string, fields?: Readonly<Record<string, unknown>>): void {
    this.#log('warn', message, fields);
  }

  error(message: string, fields?: Readonly<Record<string, unknown>>): void {
    this.#log('error', message, fields);
  }

  #log(level: Level, message: string, fields: Readonly<Record<string, unknown>> = {}): void {
    if (levels.indexOf(level) < this.#least) return;
    this.#write(`${JSON.stringify({ level, time: new Date().toISOString(), message, ...fields }, errorsToo)}\n`);
  }
}

/** Errors have no JSON of their own. */
const errorsToo = (_key: string, value: unknown): unknown =>
  value instanceof Error ? { name: value.name, message: value.message, stack: value.stack, cause: value.cause } : value;
