import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { embed, eventLine, parseLine } from '../../src/cli/transfer/format.ts';
import { RecordedEvent } from '../../src/store/event-store.ts';

const uuid = fc.uuid();
const place = fc.record({
  id: uuid,
  stream: fc.string({ minLength: 1 }),
  revision: fc.nat(),
  position: fc.nat().map((n) => String(n).padStart(16, '0')),
  type: fc.string({ minLength: 1 }),
  v: fc.integer({ min: 1, max: 9 }),
  time: fc.constant('2026-03-01T12:00:00.000Z'),
});

/** JSON objects as this program writes them, as others would, and texts that are no JSON at all. */
const objectText = fc.oneof(
  fc.dictionary(fc.string(), fc.jsonValue()).map((value) => JSON.stringify(value)),
  fc.dictionary(fc.string(), fc.jsonValue()).map((value) => JSON.stringify(value, null, 2)),
  fc.dictionary(fc.nat().map(String), fc.jsonValue()).map((value) => JSON.stringify(value)),
  fc.constantFrom(
    '{"b":0,"1":0}',
    '{"a":1,"a":2}',
    '{"a":1.0}',
    '{"a":1e2}',
    '{"a":12345678901234567890}',
    '{"a":-0}',
    '{"a":"\\u0041"}',
    '{"a":"\u2028\u2029"}',
    '{"a":"\\ud800"}',
    '{"__proto__":{"x":1}}',
    '{ }',
    '{"a":1}\r\n',
    '[1]',
    'null',
    '',
    '{"cut',
  ),
  fc.string(),
);

describe('an event on its way through a file', () => {
  it('comes back with its data and metadata to the byte', () => {
    fc.assert(
      fc.property(place, objectText, objectText, ({ stream, revision, position, ...rest }, data, metadata) => {
        const event = new RecordedEvent(stream, revision, position, { ...rest, data, metadata });
        const line = eventLine(event);
        expect(line).not.toContain('\n');
        // What is in the file is bytes, so half characters must not be lost in them either.
        const reread = parseLine(Buffer.from(line).toString(), 2);
        expect(reread).toEqual({ kind: 'event', value: { stream, revision, position, ...rest, data, metadata } });
      }),
      { numRuns: 500 },
    );
  });

  it('stands in the file as JSON where it can, so that people can read and query it', () => {
    expect(embed('{"entity":"L2","n":[1,null]}')).toBe('{"entity":"L2","n":[1,null]}');
    expect(embed('{"n":1.0}')).toBe('"{\\"n\\":1.0}"');
  });
});

describe('a line that is not of an export', () => {
  it.each([
    ['', 'Line 7 of the file is not a JSON object.'],
    ['[]', 'Line 7 of the file is none of ledger, event, receipt, checkpoint, end.'],
    ['{"event":{},"end":{}}', 'Line 7 of the file is none of ledger, event, receipt, checkpoint, end.'],
    ['{"toString":{}}', 'Line 7 of the file is none of ledger, event, receipt, checkpoint, end.'],
    ['{"end":{"events":-1}}', /^Line 7 of the file is wrong at \/end\/events: /],
    [
      '{"ledger":{"formatVersion":2}}',
      'Line 7 of the file is wrong at /ledger/formatVersion: must be 1: the file is of a newer program.',
    ],
  ])('%s is named with what is wrong', (text, message) => {
    expect(() => parseLine(text, 7)).toThrow(message);
  });
});
