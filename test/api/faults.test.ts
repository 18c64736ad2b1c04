import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { exampleCommands } from '../../src/api/openapi/openapi-examples.ts';
import { aggregates } from '../../src/domain/aggregates.ts';
import { sharedLedger } from './support.ts';

const shared = sharedLedger();
const ids: Readonly<Record<string, readonly string[]>> = {
  agent: ['compute-17:Open vSwitch agent', 'network-1:DHCP agent'],
};
const uuids = ['6f3c9a52-6f0e-4f1c-8a41-5b7be7f7f6d4', 'b0f4d7c2-8c1d-4b0e-9f0a-0a6f1d2e7c31'];

/** Commands of every kind on a few resources: most of them do not fit the state they meet. */
const someCommand = fc.constantFrom(...Object.values(aggregates)).chain((aggregate) =>
  fc.record({
    kind: fc.constant(aggregate.kind),
    id: fc.constantFrom(...(ids[aggregate.kind] ?? uuids)),
    command: fc.constantFrom(...Object.values(exampleCommands(aggregate)).map(({ value }) => value)),
  }),
);

/** A command with one thing in it replaced by something else. */
const oddCommand = fc.tuple(someCommand, fc.jsonValue(), fc.nat()).map(([{ kind, id, command }, odd, place]) => {
  const text = JSON.stringify(command);
  const values = [...text.matchAll(/:("[^"]*"|\d+|true|false|null)/g)];
  const at = values[place % values.length]!;
  return {
    kind,
    id,
    text: `${text.slice(0, at.index + 1)}${JSON.stringify(odd)}${text.slice(at.index + at[0].length)}`,
  };
});

const urlOf = (kind: string, id: string): string => `/v1/${kind}s/${encodeURIComponent(id)}`;

describe('whatever is sent', () => {
  test('a command is done or refused, and never a fault', async () => {
    const { post, get } = shared();
    await fc.assert(
      fc.asyncProperty(fc.array(someCommand, { minLength: 20, maxLength: 20 }), async (commands) => {
        for (const { kind, id, command } of commands) {
          const { status, text } = await post(`${urlOf(kind, id)}/commands`, command);
          expect(status, `${JSON.stringify(command)} ${text}`).toBeLessThan(500);
          const read = await get(urlOf(kind, id));
          expect([200, 404, 410]).toContain(read.status);
        }
      }),
      { numRuns: 20 },
    );
  });

  test('an odd value is refused, or is one that may be', async () => {
    const { post } = shared();
    await fc.assert(
      fc.asyncProperty(oddCommand, async ({ kind, id, text }) => {
        const answer = await post(`${urlOf(kind, id)}/commands`, text);
        expect(answer.status, `${text} ${answer.text}`).toBeLessThan(500);
      }),
      { numRuns: 300 },
    );
  });

  test('bytes that mean nothing are refused', async () => {
    const { post, get } = shared();
    const path = `${urlOf('port', uuids[0]!)}/commands`;
    await fc.assert(
      fc.asyncProperty(fc.oneof(fc.uint8Array({ maxLength: 200 }), fc.string({ unit: 'binary' })), async (body) => {
        expect((await post(path, body)).status).toBeGreaterThanOrEqual(400);
        expect((await post(path, body)).status).toBeLessThan(500);
      }),
      { numRuns: 100 },
    );
    await fc.assert(
      fc.asyncProperty(fc.webPath(), fc.webQueryParameters(), async (path, query) => {
        expect((await get(`/v1/ports${path}?${query}`)).status).toBeLessThan(500);
        expect((await get(`/v1/events?${query}`)).status).toBeLessThan(500);
      }),
      { numRuns: 100 },
    );
  });
});
