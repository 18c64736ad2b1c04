import { getEventListeners } from 'node:events';
import { expect, test } from 'vitest';
import { abortingWith } from '../src/aborting-with.ts';

const listeners = (...signals: AbortSignal[]): number[] =>
  signals.map((signal) => getEventListeners(signal, 'abort').length);

test('aborts with the first of its signals, and for its reason', () => {
  const [first, second] = [new AbortController(), new AbortController()];
  const { signal } = abortingWith(first.signal, second.signal);
  expect(signal.aborted).toBe(false);
  second.abort('the second');
  first.abort('the first');
  expect({ aborted: signal.aborted, reason: signal.reason }).toEqual({ aborted: true, reason: 'the second' });
});

test('is aborted from the start where one of its signals is', () => {
  const other = new AbortController();
  const { signal } = abortingWith(other.signal, AbortSignal.abort('before'), AbortSignal.abort('later'));
  expect({ aborted: signal.aborted, reason: signal.reason }).toEqual({ aborted: true, reason: 'before' });
  expect(listeners(other.signal)).toEqual([0]);
});

test('leaves nothing behind in its signals once it has aborted, whatever for', () => {
  const [long, short] = [new AbortController(), new AbortController()];
  const ofItself = abortingWith(long.signal);
  const ofAnother = abortingWith(short.signal, long.signal);
  expect(listeners(long.signal)).toEqual([2]);
  ofItself.abort();
  short.abort();
  expect(ofAnother.signal.aborted).toBe(true);
  expect(listeners(long.signal)).toEqual([0]);
});
