import { describe, expect, test } from 'vitest';
import { parseDuration } from '../../src/api/schemas/duration.ts';
import { sharedLedger, slugOf, startLedger } from './support.ts';

describe('a clock that stands still', () => {
  test('moves when it is told to, and everything that happens bears its time', async () => {
    const { get, post, command } = await startLedger();
    expect((await command('CreatePort')).body.events[0].time).toBe('2026-01-01T00:00:00.000Z');
    const moved = await post('/v1/clock', { advance: 'P1DT1H1M1.5S' });
    expect([moved.status, moved.body]).toEqual([200, { now: '2026-01-02T01:01:01.500Z' }]);
    expect((await get('/v1/clock')).body).toEqual({ now: '2026-01-02T01:01:01.500Z', clock: 'manual' });
    expect((await command('UpdatePort', { name: 'a' })).body.events[0].time).toBe('2026-01-02T01:01:01.500Z');
    expect((await post('/v1/clock', { advance: 'PT0S' })).body).toEqual({ now: '2026-01-02T01:01:01.500Z' });
  });

  test('moved by several at once passes all of their time', async () => {
    const { post } = await startLedger();
    const moves = await Promise.all(Array.from({ length: 10 }, () => post('/v1/clock', { advance: 'PT1S' })));
    expect(moves.map(({ body }) => body.now).toSorted()).toEqual(
      Array.from({ length: 10 }, (_, n) => `2026-01-01T00:00:${String(n + 1).padStart(2, '0')}.000Z`),
    );
  });

  const shared = sharedLedger();
  test.each(['75', 'PT', 'P', 'P1Y', 'P1M', 'PT-5S', '-PT5S', 'PT5', 'T5S', '5S', 'P999999999D', ''])(
    'is not moved by %j',
    async (advance) => {
      const { post } = shared();
      const refused = await post('/v1/clock', { advance });
      expect([refused.status, slugOf(refused)]).toEqual([400, 'invalid-request']);
      expect(refused.body.errors).toMatchObject([{ in: 'body', pointer: '/advance' }]);
    },
  );
});

describe('the clock of a machine', () => {
  test('cannot be moved', async () => {
    const { post } = await startLedger(['--clock', 'system']);
    const refused = await post('/v1/clock', { advance: 'PT1S' });
    expect([refused.status, slugOf(refused)]).toEqual([409, 'clock-not-manual']);
  });
});

describe('a duration', () => {
  test.each([
    ['PT75S', 75_000],
    ['PT1H', 3_600_000],
    ['P2D', 172_800_000],
    ['P1W', 604_800_000],
    ['P1DT2H3M4.005S', 93_784_005],
    ['PT0,5S', 500],
    ['PT36H', 129_600_000],
    ['PT0.0004S', 0],
  ])('%s is %i ms', (text, milliseconds) => {
    expect(parseDuration(text)).toBe(milliseconds);
  });
});
