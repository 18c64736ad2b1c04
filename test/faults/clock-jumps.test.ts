import fc from 'fast-check';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { verifyLedger } from '../../src/cli/verify/verify-ledger.ts';
import { aggregates } from '../../src/domain/aggregates.ts';
import { SystemClock } from '../../src/runtime/clock.ts';
import { MemoryStore } from '../../src/store/memory/memory-store.ts';
import { collect, done, nthId, openLedger } from '../support/ledger.ts';

const buildTimeoutMs = 60_000;
const anHour = 3_600_000;
const server = nthId(1);

beforeEach(() => vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date', 'performance'] }));
afterEach(() => vi.useRealTimers());

/** A server that is being built, and has a minute to it, on a machine whose clock somebody sets. */
async function building() {
  const store = new MemoryStore({ clock: 'system' });
  const { execute } = await openLedger({ store, clock: new SystemClock(), settings: { buildTimeoutMs } });
  done(await execute('server', server, 'CreateServer', { name: 'web' }));
  const events = () => collect(store.readStream(`server-${server}`));
  return {
    store,
    execute,
    pass: (milliseconds: number) => vi.advanceTimersByTimeAsync(milliseconds),
    set: (milliseconds: number) => vi.setSystemTime(Date.now() + milliseconds),
    /** What the ledger's own alarm clock did. */
    alarms: async () => (await events()).filter(({ metadata }) => Object(metadata.actor).type === 'system').length,
    times: async () => (await events()).map(({ time }) => time),
  };
}

it('a deadline is met within seconds where the clock was set past it, and once', async () => {
  const { pass, set, alarms } = await building();
  set(anHour);
  await pass(10_001);
  const met = await alarms();
  expect(met).toBeGreaterThan(0);
  set(-anHour);
  await pass(3 * anHour);
  expect(await alarms()).toBe(met);
});

it('a deadline is not met before its time where the clock was set back, and is met then', async () => {
  const { pass, set, alarms } = await building();
  await pass(30_000);
  set(-anHour);
  await pass(anHour);
  expect(await alarms()).toBe(0);
  await pass(30_001);
  expect(await alarms()).toBeGreaterThan(0);
});

it('however the clock jumps, times in a stream never go back, and a deadline is met once', async () => {
  const Jump = fc.record({
    passes: fc.integer({ min: 0, max: 20_000 }),
    set: fc.integer({ min: -anHour, max: anHour }),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(Jump, { minLength: 1, maxLength: 8 }), async (jumps) => {
      const { store, execute, pass, set, alarms, times } = await building();
      const untouched = await building();
      for (const [n, jump] of jumps.entries()) {
        await pass(jump.passes);
        set(jump.set);
        await execute('server', server, 'UpdateServer', { name: `web ${n}` });
      }
      await pass(24 * anHour);
      const recorded = await times();
      expect(recorded).toEqual(recorded.toSorted());
      const met = await untouched.alarms();
      expect(met).toBeGreaterThan(0);
      expect(await alarms()).toBe(met);
      expect((await verifyLedger(store, aggregates, null)).findings).toEqual([]);
    }),
    { numRuns: 40 },
  );
});
