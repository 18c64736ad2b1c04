import { expect, test } from 'vitest';
import { AppendWatch } from '../../src/api/commands/append-watch.ts';
import type { AppendRequest } from '../../src/store/event-store.ts';
import { MemoryStore } from '../../src/store/memory/memory-store.ts';
import type { StoreFault } from '../../src/store/store-error.ts';
import { flaky } from '../support/flaky-store.ts';
import { nthId } from '../support/ledger.ts';

test.each<[string, StoreFault]>([
  ['whose disk is full', { code: 'not-writable', reason: 'the disk is full' }],
  ['whose cluster is silent', { code: 'unreachable', reason: 'node1 does not answer' }],
])('a ledger %s is said to refuse writes until one succeeds', async (_title, fault) => {
  const { store, failNext } = flaky(new MemoryStore());
  const settled: string[] = [];
  const watch = new AppendWatch((_seconds, outcome) => settled.push(outcome));
  const event = { type: 'Made', v: 1, time: '2026-01-01T00:00:00.000Z', data: '{}', metadata: '{}' };
  const request: AppendRequest = { stream: 'port-1', expectedRevision: -1, events: [{ id: nthId(1), ...event }] };

  failNext(1, fault);
  await expect(watch.over(store).append(request)).rejects.toMatchObject({ fault });
  expect(watch.refusal).toContain(fault.code === 'unreachable' ? 'node1' : 'full');
  await watch.over(store).append(request);
  expect(watch.refusal).toBeNull();
  expect(settled).toEqual(['failed', 'stored']);
});
