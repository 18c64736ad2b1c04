import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { ManualClock, SystemClock, timestamp } from '../../src/runtime/clock.ts';

describe('a clock that stands still', () => {
  const at = (clock: ManualClock, seconds: number) => clock.now() + seconds * 1000;

  test('fires what is due at its own time, in order, when it is advanced', async () => {
    const clock = new ManualClock();
    const start = clock.now();
    const fired: string[] = [];
    const note = (name: string) => () => fired.push(`${name} at ${(clock.now() - start) / 1000}`);
    clock.schedule(at(clock, 30), note('second'));
    clock.schedule(at(clock, 10), note('first'));
    clock.schedule(at(clock, 30), note('third'));
    clock.schedule(at(clock, 61), note('never'));

    await clock.advance(60_000);
    expect(fired).toEqual(['first at 10', 'second at 30', 'third at 30']);
    expect(clock.now() - start).toBe(60_000);
  });

  test('waits for what it fires, and fires what that schedules on the way', async () => {
    const clock = new ManualClock();
    const fired: number[] = [];
    clock.schedule(at(clock, 10), async () => {
      await Promise.resolve();
      fired.push(1);
      clock.schedule(at(clock, 10), () => fired.push(2));
    });
    await clock.advance(20_000);
    expect(fired).toEqual([1, 2]);
  });

  test('does not fire what was taken back', async () => {
    const clock = new ManualClock();
    const cancel = clock.schedule(at(clock, 1), () => expect.unreachable());
    cancel();
    await clock.advance(2_000);
  });
});

describe('the system clock', () => {
  test('fires what is due already, and waits for a time further off than a timer of Node can be', async () => {
    const clock = new SystemClock();
    const cancel = clock.schedule(clock.now() + 2 ** 40, () => expect.unreachable());
    await new Promise((resolve) => clock.schedule(clock.now() - 1000, () => resolve(null)));
    cancel();
  });

  describe('that is set while somebody waits', () => {
    beforeEach(() => vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date', 'performance'] }));
    afterEach(() => vi.useRealTimers());

    const anHour = 3_600_000;
    function wait(milliseconds: number) {
      const clock = new SystemClock();
      const fired = vi.fn();
      clock.schedule(clock.now() + milliseconds, fired);
      return fired;
    }

    test('forward sees within seconds that what it waits for is due', () => {
      const fired = wait(anHour);
      vi.setSystemTime(Date.now() + anHour);
      vi.advanceTimersByTime(10_001);
      expect(fired).toHaveBeenCalledTimes(1);
      vi.advanceTimersByTime(2 * anHour);
      expect(fired).toHaveBeenCalledTimes(1);
    });

    test('back waits as long as it would have, and not an hour more', () => {
      const fired = wait(30_000);
      vi.setSystemTime(Date.now() - anHour);
      vi.advanceTimersByTime(29_000);
      expect(fired).not.toHaveBeenCalled();
      vi.advanceTimersByTime(1_000);
      expect(fired).toHaveBeenCalledTimes(1);
    });
  });

  test('tells time as RFC 3339 in UTC with milliseconds', () => {
    expect(timestamp(0)).toBe('1970-01-01T00:00:00.000Z');
  });
});
