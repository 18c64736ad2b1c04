import type { Chance } from './chance.ts';

const values: readonly unknown[] = [
  null,
  true,
  false,
  0,
  -1,
  1.5,
  1e308,
  2 ** 53 - 1,
  -(2 ** 31) - 1,
  '',
  ' ',
  '\u0000',
  '\ud800',
  '\u202e💥\u0301',
  'a'.repeat(256),
  'a'.repeat(70_000),
  '\n\r\t',
  '../../etc/passwd',
  "'; drop table events; --",
  '%00%ff',
  '__proto__',
  'constructor',
  'toString',
  'hasOwnProperty',
  'NaN',
  'latest',
  '$ref',
  '2026-13-45T99:99:99Z',
  '9999-12-31T23:59:59.999999999+14:00',
  'P99999999999Y',
  '255.255.255.256',
  'ff:ff:ff:ff:ff:ff:ff',
  '(a+)+$',
  '[',
  [],
  {},
  [[]],
  [null],
  { '': null },
  { constructor: { prototype: {} } },
  { toString: 1 },
  { a: { b: { c: { d: [1, 'x', null, { e: [] }] } } } },
];

export const nasty = (chance: Chance): unknown => (chance.happens(0.15) ? chance.anyId() : chance.oneOf(values));

/** The same as text that fits into a URL. */
export function nastyText(chance: Chance): string {
  const value = nasty(chance);
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return chance.oneOf([text, text.toUpperCase(), `${text},${text}`]).slice(0, 3_000);
}

const rawTexts = ['%', '%zz', '%ff%fe', '%00', '%2f..%2f', '+', ';', '&&', '=', '[]', '#', '?', '//', '.', '..'];

/** Text for a URL, mostly escaped as it must be. */
export const urlText = (chance: Chance): string =>
  chance.happens(0.2) ? chance.oneOf(rawTexts) : encodeURIComponent(wellFormed(nastyText(chance)));

/** A lone half of a surrogate pair cannot be escaped. */
export const wellFormed = (text: string): string => text.replace(/\p{Surrogate}/gu, '\ufffd');
