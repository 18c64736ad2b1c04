import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { chainLink, chainStart, withChain } from '../../src/runtime/chain.ts';
import type { AppendRequest } from '../../src/store/event-store.ts';
import { openStore } from '../../src/store/open-store.ts';
import { collect } from '../support/ledger.ts';
import { smallLedger, temporaryFolder } from './ledger-file.ts';
import { emptyCopyFor, exported, exportOf, importInto } from './transfer-support.ts';

const linesOf = (text: string): string[] => text.trimEnd().split('\n');
const withLines = (lines: readonly string[]): string => `${lines.join('\n')}\n`;

describe('a ledger that moves', () => {
  it.each(['memory:', 'sqlite:'])('to %s and back is the same to the byte', async (engine) => {
    const { url } = await smallLedger();
    const text = await exportOf(url);
    const path = engine === 'memory:' ? '' : `${await temporaryFolder()}/copy.db`;
    const copy = await emptyCopyFor(text, engine + path);
    expect(await importInto(copy, text)).toEqual({ events: 13, receipts: 6, found: 0, positionsKept: true });
    expect(await exported(copy)).toBe(text);
    await copy.close();
  });

  it('still knows the commands it has carried out', async () => {
    const { url } = await smallLedger();
    const original = await openStore(url, { readOnly: true });
    const text = await exported(original);
    const copy = await emptyCopyFor(text);
    await importInto(copy, text);
    const receipts = await collect(original.readReceipts());
    expect(receipts.map(({ eventCount }) => eventCount)).toEqual([1, 1, 0, 0, 1, 2]);
    expect(await collect(copy.readReceipts())).toEqual(receipts);
    await original.close();
  });

  it('still knows how far the readers inside the server have come', async () => {
    const { url } = await smallLedger();
    const text = await exportOf(url);
    const copy = await emptyCopyFor(text);
    await importInto(copy, text);
    expect(await copy.readCheckpoints()).toEqual([
      { name: 'flows', position: '0000000000000009' },
      { name: 'new', position: '0000000000000000' },
    ]);
  });

  it('says what it is in lines that people can read', async () => {
    const { url } = await smallLedger();
    const lines = linesOf(await exportOf(url)).map((line) => JSON.parse(line));
    expect(lines[0]).toMatchObject({ ledger: { formatVersion: 1, clock: 'manual' } });
    expect(lines[1]).toEqual({ checkpoint: { name: 'new' } });
    expect(lines[2]).toMatchObject({
      event: { position: '0000000000000001', type: 'PortCreated', data: { name: 'web' } },
    });
    expect(lines[3]).toMatchObject({ receipt: { eventCount: 1, lastRevision: 0 } });
    expect(lines.at(-1)).toMatchObject({
      end: { events: 13, receipts: 6, checkpoints: 2, sha256: expect.stringMatching(/^[0-9a-f]{64}$/) },
    });
  });

  /** Whatever was appended, in whatever form its JSON is. */
  const appends = fc.array(
    fc.record({
      stream: fc.constantFrom('port-1', 'port-2', 'agent-host-é:L2', 'other'),
      data: fc.array(
        fc.oneof(
          fc.dictionary(fc.string({ unit: 'grapheme' }), fc.jsonValue()).map((value) => JSON.stringify(value)),
          fc.constantFrom('{"b":0,"1":0}', '{"a":1.0}', '{ }', '{"a":"\u2028"}', '{"x":12345678901234567890}'),
        ),
        { maxLength: 3 },
      ),
      keyed: fc.boolean(),
    }),
    { maxLength: 20 },
  );

  it('keeps every append with its receipt, however its JSON was written', async () => {
    await fc.assert(
      fc.asyncProperty(appends, async (past) => {
        const original = await openStore('memory:');
        for (const request of requestsFor(past)) await original.append(request);
        const text = await exported(original);
        const copy = await emptyCopyFor(text);
        await importInto(copy, text);
        expect(await exported(copy)).toBe(text);
        expect(await collect(copy.readReceipts())).toEqual(await collect(original.readReceipts()));
      }),
      { numRuns: 60 },
    );
  });
});

describe('an import that was interrupted', () => {
  it('goes on where it stopped, wherever that was', async () => {
    const { url } = await smallLedger();
    const text = await exportOf(url);
    const lines = linesOf(text);
    for (let kept = 1; kept < lines.length; kept++) {
      const store = await emptyCopyFor(text);
      await importInto(store, withLines(lines.slice(0, kept))).catch(() => {});
      const found = (await collect(store.readAll())).length;
      expect(await importInto(store, text)).toMatchObject({ events: 13, receipts: 6, found });
      expect(await exported(store)).toBe(text);
    }
  });

  it('and came to its end after all, has nothing left to do', async () => {
    const { url } = await smallLedger();
    const text = await exportOf(url);
    const store = await emptyCopyFor(text);
    await importInto(store, text);
    expect(await importInto(store, text)).toMatchObject({ events: 13, found: 13 });
    expect(await exported(store)).toBe(text);
  });

  it('does not go on in a ledger that holds something else', async () => {
    const { url } = await smallLedger();
    const text = await exportOf(url);
    const store = await openStore('memory:');
    await store.append(requestsFor([{ stream: 'port-9', data: ['{}'], keyed: false }])[0]!);
    await expect(importInto(store, text)).rejects.toThrow(
      'The ledger holds Happened at revision 0 of port-9 where the file has PortCreated at revision 0 of port-00000000-0000-4000-8000-000000000001: it is not the beginning of this file.',
    );
  });

  it('does not go on in a ledger that went on by itself', async () => {
    const { url } = await smallLedger();
    const text = await exportOf(url);
    const store = await emptyCopyFor(text);
    await importInto(store, text);
    await store.append(requestsFor([{ stream: 'port-9', data: ['{}'], keyed: false }])[0]!);
    await expect(importInto(store, text)).rejects.toThrow(
      'The ledger goes on after the end of the file, with Happened at revision 0 of port-9.',
    );
  });
});

describe('a file that something happened to', () => {
  const changed = async (change: (lines: string[]) => readonly string[]): Promise<string> => {
    const { url } = await smallLedger();
    return withLines(change(linesOf(await exportOf(url))));
  };
  const refusal = async (text: string): Promise<string> => {
    const store = await openStore('memory:');
    return importInto(store, text).then(
      () => 'it was taken',
      (error: Error) => error.message,
    );
  };

  it.each<[string, (lines: string[]) => readonly string[], string | RegExp]>([
    [
      'cut off after a line',
      (lines) => lines.slice(0, 9),
      'Line 10 of the file is missing: the file has no end, it was cut off.',
    ],
    ['without its beginning', (lines) => lines.slice(1), 'Line 1 of the file is not the beginning of an export.'],
    [
      'with an event changed',
      (lines) => lines.map((line) => line.replace('"entity":"L2"', '"entity":"L3"')),
      /^Line 6 of the file breaks its stream \(chain-broken\): The recorded link is /,
    ],
    [
      'with an event taken out',
      (lines) => lines.filter((_, index) => index !== 4),
      'Line 7 of the file breaks its stream (revision-missing): Revision 0 is missing before revision 1.',
    ],
    [
      'with a receipt taken out',
      (lines) => lines.filter((_, index) => index !== 3),
      'Line 22 of the file counts 6 receipts; there are 5.',
    ],
    [
      'with a receipt changed',
      (lines) => lines.map((line) => line.replace('"bodyHash":"Q', '"bodyHash":"R')),
      'Line 23 of the file does not match the lines before it: one of them was changed.',
    ],
    [
      'with a receipt somewhere else',
      (lines) => [...lines.slice(0, 3), lines[4]!, lines[3]!, ...lines.slice(5)],
      'Line 5 of the file holds a receipt that does not point to the event before it.',
    ],
    ['with something after the end', (lines) => [...lines, '{}'], 'Line 24 of the file stands after the end.'],
    [
      'with another behind it',
      (lines) => [...lines.slice(0, 3), ...lines],
      'Line 4 of the file begins another ledger.',
    ],
    ['that is something else', () => ['hello'], 'Line 1 of the file is not a JSON object.'],
  ])('(%s) is refused, and the line is named', async (_, change, message) => {
    expect(await refusal(await changed(change))).toMatch(message);
  });

  it('(cut off within a line) is refused', async () => {
    const text = await changed((lines) => lines);
    expect(await refusal(text.slice(0, -20))).toBe('Line 23 of the file is cut off.');
  });

  it('(empty) is refused', async () => {
    expect(await refusal('')).toBe('Line 1 of the file is not the beginning of an export.');
  });
});

/** Appends as a runtime would make them: chained, and those with a key with a receipt. */
function requestsFor(past: readonly { stream: string; data: readonly string[]; keyed: boolean }[]): AppendRequest[] {
  const heads = new Map<string, { revision: number; chain: string }>();
  const requests: AppendRequest[] = [];
  for (const [index, { stream, data, keyed }] of past.entries()) {
    const head = heads.get(stream) ?? { revision: -1, chain: chainStart };
    if (data.length === 0 && (!keyed || head.revision < 0)) continue;
    const expectedRevision = head.revision;
    const commandId = `command-${String(index).padStart(3, '0')}`;
    const events = data.map((dataText, nth) => {
      const id = `00000000-0000-4000-8000-${String(index * 10 + nth + 1).padStart(12, '0')}`;
      const event = { id, type: 'Happened', v: 1, time: '2026-01-01T00:00:00.000Z' };
      const metadataText = JSON.stringify({ commandId });
      head.revision++;
      head.chain = chainLink(head.chain, { ...event, stream, revision: head.revision, dataText, metadataText });
      return { ...event, data: dataText, metadata: withChain(metadataText, head.chain) };
    });
    heads.set(stream, head);
    requests.push({ stream, expectedRevision, events, ...(keyed && { receipt: { commandId, bodyHash: 'hash' } }) });
  }
  return requests;
}
