import type { Json } from '../kernel/json.ts';

/** What is kept of a long text, in characters: enough for a traceback's first and last lines. */
const keptHead = 3000;
const keptTail = 1000;

/**
 * The text as it is stored. One that is too long keeps head and tail, cut between characters, with a mark that says so:
 * an error that cannot be stored must never keep a node from failing.
 */
export function clipped(text: string): string {
  if (text.length <= keptHead + keptTail) return text;
  const characters = Array.from(text);
  if (characters.length <= keptHead + keptTail) return text;
  const head = characters.slice(0, keptHead).join('');
  const tail = characters.slice(-keptTail).join('');
  return `${head} [truncated, original length ${characters.length}] ${tail}`;
}

const secretName = /pass(word|phrase)?$|secret|token|credential|private_?key|auth_?key|configdrive/i;
const mask = '******';

/** A free-form value with what must not be stored masked: events are for ever, and read by many. */
export function withoutSecrets<T extends Json>(value: T): T {
  if (Array.isArray(value)) return value.map(withoutSecrets) as T;
  if (value === null || typeof value !== 'object') return value;
  const entries = Object.entries(value).map(([name, inner]) => [
    name,
    secretName.test(name) && inner !== null ? mask : withoutSecrets(inner),
  ]);
  return Object.fromEntries(entries) as T;
}

/** `time` and so many milliseconds, in the one form times are stored in. */
export const later = (time: string, milliseconds: number): string =>
  new Date(Date.parse(time) + milliseconds).toISOString();

/** The later of two times. In this form they are ordered as text. */
export const latest = (...times: [string, ...string[]]): string => times.toSorted().at(-1)!;
