import { isUtf8 } from 'node:buffer';
import { pointerTo } from '../../domain/kernel/json-pointer.ts';

/** Deeper than any command or state of the ledger, and far from where recursion would hurt. */
const deepest = 64;

/** Text that is not the JSON this API takes, and where it goes wrong. */
export class JsonFlaw extends Error {
  override readonly name = 'JsonFlaw';
  /** Where: the offset of a character, or the pointer of a value that is well-formed but not acceptable. */
  readonly place: { readonly position: number; readonly line: number; readonly column: number } | { pointer: string };

  constructor(message: string, place: JsonFlaw['place']) {
    super(message);
    this.place = place;
  }
}

/**
 * The value a JSON text stands for, provided that it stands for one only and that storing it loses nothing: a key given
 * twice, a number that a double cannot hold exactly, a string that is not Unicode text are refused rather than bent.
 *
 * @throws JsonFlaw
 */
export function parseJson(bytes: Buffer): unknown {
  if (!isUtf8(bytes)) throw new JsonFlaw('The text is not UTF-8.', { pointer: '' });
  const text = bytes.toString('utf8');
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw examine(text) ?? new JsonFlaw('The text is not JSON.', { pointer: '' });
  }
  // What a string must not hold can only have come in as an escape: raw control characters are no JSON at all.
  const members = check(value, text.includes('\\u'), []);
  if (members !== membersIn(text)) throw examine(text)!;
  return value;
}

/** Goes through a value for what cannot be kept; counts the members of its objects. The trail leads to the value. */
function check(value: unknown, escapes: boolean, trail: (string | number)[]): number {
  if (typeof value === 'number') {
    if (Math.abs(value) <= Number.MAX_SAFE_INTEGER) return 0;
    throw flawAt(trail, 'The number is too large to be kept exactly; send it as a string.');
  }
  if (typeof value === 'string') {
    if (escapes) checkString(value, trail);
    return 0;
  }
  if (value === null || typeof value !== 'object') return 0;
  if (trail.length === deepest) throw flawAt(trail, `The value is nested deeper than ${deepest} levels.`);
  if (Array.isArray(value)) {
    let members = 0;
    for (const [index, item] of value.entries()) members += checkAt(index, item, escapes, trail);
    return members;
  }
  const keys = Object.keys(value);
  let members = keys.length;
  for (const key of keys) {
    if (key === '__proto__') throw flawAt(trail, 'The key "__proto__" is not accepted.');
    if (escapes) checkString(key, trail);
    members += checkAt(key, (value as Record<string, unknown>)[key], escapes, trail);
  }
  return members;
}

function checkAt(step: string | number, value: unknown, escapes: boolean, trail: (string | number)[]): number {
  trail.push(step);
  const members = check(value, escapes, trail);
  trail.pop();
  return members;
}

const flawAt = (trail: readonly (string | number)[], message: string): JsonFlaw =>
  new JsonFlaw(message, { pointer: pointerTo(trail) });

const notText = /[\0\p{Surrogate}]/u;

function checkString(text: string, trail: readonly (string | number)[]): void {
  if (notText.test(text)) throw flawAt(trail, 'The string holds a null character or half of a surrogate pair.');
}

const quote = 0x22;
const backslash = 0x5c;
const colon = 0x3a;

/** How many members the objects of a well-formed text have, those counted twice that are there twice. */
function membersIn(text: string): number {
  let members = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === colon) members++;
    if (code !== quote) continue;
    do {
      at = text.indexOf('"', at + 1);
    } while (isEscaped(text, at));
  }
  return members;
}

function isEscaped(text: string, at: number): boolean {
  let backslashes = 0;
  while (text.charCodeAt(at - 1 - backslashes) === backslash) backslashes++;
  return backslashes % 2 === 1;
}

const space = /[ \t\n\r]*/y;
const word = /[^ \t\n\r{}[\]:,"]+/y;

/** What may come next in a JSON text. */
type Expected =
  | 'a value'
  | 'a value or "]"'
  | 'a key or "}"'
  | 'a key'
  | '":"'
  | '"," or "}"'
  | '"," or "]"'
  | 'the end';

/** Reads a text that was found wanting token by token, for the exact place. Slow, thorough, never recursive. */
function examine(text: string): JsonFlaw | null {
  const open: (Set<string> | null)[] = [];
  let expected: Expected = 'a value';
  let at = 0;
  const flaw = (message: string): JsonFlaw => new JsonFlaw(message, placeOf(text, at));
  const afterValue = (): Expected => {
    const inner = open.at(-1);
    if (inner === undefined) return 'the end';
    return inner ? '"," or "}"' : '"," or "]"';
  };

  for (;;) {
    at += matchAt(space, text, at).length;
    const token = tokenAt(text, at);
    if (token === '') return expected === 'the end' ? null : flaw(`The text ends where ${expected} was expected.`);

    const closes = (token === '}' && /"}"/.test(expected)) || (token === ']' && /"]"/.test(expected));
    if (closes) {
      open.pop();
      expected = afterValue();
    } else if (expected.startsWith('a value') && (token === '{' || token === '[')) {
      if (open.length === deepest) return flaw(`The value is nested deeper than ${deepest} levels.`);
      open.push(token === '{' ? new Set() : null);
      expected = token === '{' ? 'a key or "}"' : 'a value or "]"';
    } else if (expected.startsWith('a value') && isScalar(token)) {
      expected = afterValue();
    } else if (expected.startsWith('a key') && isScalar(token) && token.startsWith('"')) {
      const key = JSON.parse(token) as string;
      const keys = open.at(-1)!;
      if (keys.has(key)) return flaw(`The key ${token} is there twice in one object.`);
      keys.add(key);
      expected = '":"';
    } else if (expected === '":"' && token === ':') {
      expected = 'a value';
    } else if (expected.startsWith('","') && token === ',') {
      expected = open.at(-1) ? 'a key' : 'a value';
    } else {
      return flaw(`${expected[0]!.toUpperCase()}${expected.slice(1)} was expected.`);
    }
    at += token.length;
  }
}

function matchAt(pattern: RegExp, text: string, at: number): string {
  pattern.lastIndex = at;
  return pattern.exec(text)?.[0] ?? '';
}

/** A string with its quotes, a word, or a single sign of punctuation; '' at the end. */
function tokenAt(text: string, at: number): string {
  if (text.charCodeAt(at) !== quote) return matchAt(word, text, at) || text.charAt(at);
  let end = at;
  do {
    end = text.indexOf('"', end + 1);
  } while (end > 0 && isEscaped(text, end));
  return end < 0 ? text.slice(at) : text.slice(at, end + 1);
}

const wholeWord = /^(?:-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null)$/;

/** Whether a token is a whole value by itself. */
function isScalar(token: string): boolean {
  if (!token.startsWith('"')) return wholeWord.test(token);
  try {
    JSON.parse(token);
    return true;
  } catch {
    return false;
  }
}

function placeOf(text: string, position: number): { position: number; line: number; column: number } {
  const before = text.slice(0, position).split('\n');
  return { position, line: before.length, column: before.at(-1)!.length + 1 };
}
