import { describe, expect, it } from 'vitest';
import type { RecordedEvent } from '../../src/store/event-store.ts';
import { decodeBatch } from '../../src/store/sqlite/protocol.ts';
import type { WriterListener } from '../../src/store/sqlite/start-writer.ts';
import { WriterQueue } from '../../src/store/sqlite/writer-queue.ts';
import { faultOf, freshStream, someEvents } from '../contract/support.ts';

/** What a writer thread does with a batch it is sent. */
type Fate = 'commits' | 'dies' | 'cannot open the file';

/** A queue in front of writers whose fates are given in advance, one a start. */
function queueBefore(...fates: Fate[]) {
  let position = 0;
  let starts = 0;
  const committed: RecordedEvent[] = [];
  const batches: number[] = [];
  const queue = new WriterQueue({
    start: (listener) => {
      const fate = fates[starts++] ?? 'commits';
      const later = (work: () => void): unknown => setImmediate(work);
      if (fate === 'cannot open the file') later(() => failToOpen(listener));
      else later(() => listener.onMessage({ kind: 'ready', head: position }));
      return {
        send: (message) => {
          if (message.kind === 'close') return later(() => listener.onExit(null));
          if (fate === 'dies') return later(() => listener.onExit(new Error('out of memory')));
          if (fate === 'cannot open the file') return undefined;
          const first = position + 1;
          const { appends } = decodeBatch(message.batch);
          batches.push(appends.length);
          for (const { events } of appends) position += events.length;
          return later(() => listener.onMessage({ kind: 'committed', first, exceptions: [] }));
        },
      };
    },
    onCommitted: (events) => committed.push(...events),
    onHead: () => {},
  });
  return { queue, committed, batches, starts: () => starts };
}

function failToOpen(listener: WriterListener): void {
  listener.onMessage({ kind: 'unready', fault: { code: 'SQLITE_CANTOPEN', message: 'unable to open database file' } });
  listener.onExit(null);
}

const append = (queue: WriterQueue, stream = freshStream(), expectedRevision = -1) =>
  queue.append({ stream, expectedRevision, events: someEvents(1) }, 100);

describe('a writer thread that dies', () => {
  it('takes the appends it had with it; they are refused with the reason', async () => {
    const { queue } = queueBefore('dies');
    const lost = [append(queue), append(queue)];
    for (const each of lost)
      expect(await faultOf(each)).toEqual({ code: 'not-writable', reason: 'its writer ended (out of memory)' });
    await queue.stop();
  });

  it('is started again with the next append, and not before', async () => {
    const { queue, starts, committed } = queueBefore('dies', 'commits');
    await faultOf(append(queue));
    expect(starts()).toBe(1);
    expect(await append(queue)).toEqual({ revision: 0, position: '0000000000000001' });
    expect(starts()).toBe(2);
    expect(committed).toHaveLength(1);
    await queue.stop();
  });

  it('does not take those with it that it had not been given yet', async () => {
    const { queue } = queueBefore('dies', 'commits');
    const first = append(queue);
    await new Promise((resolve) => setImmediate(resolve));
    const second = append(queue);
    expect(await faultOf(first)).toMatchObject({ code: 'not-writable' });
    expect(await second).toMatchObject({ revision: 0 });
    await queue.stop();
  });

  it('does not keep the store from closing', async () => {
    const { queue } = queueBefore('dies');
    const lost = faultOf(append(queue));
    await queue.drained();
    await queue.stop();
    expect(await lost).toMatchObject({ code: 'not-writable' });
  });
});

describe('a writer thread that cannot open the file', () => {
  it('refuses with what is wrong with the file, and is tried again with each batch', async () => {
    const broken = 'cannot open the file';
    const { queue, starts } = queueBefore(broken, broken, broken, 'commits');
    await new Promise((resolve) => setImmediate(resolve));
    const refused = { code: 'not-writable', reason: expect.stringContaining('permissions') };
    expect(await faultOf(append(queue))).toMatchObject(refused);
    expect(await faultOf(append(queue))).toMatchObject(refused);
    expect(await append(queue)).toMatchObject({ revision: 0 });
    expect(starts()).toBe(4);
    await queue.stop();
  });
});

describe('a batch', () => {
  it('is no larger than one transaction should be', async () => {
    const { queue, committed } = queueBefore();
    const appends = Array.from({ length: 3000 }, () => append(queue));
    const answers = await Promise.all(appends);
    expect(answers.map(({ position }) => Number(position))).toEqual(answers.map((_, index) => index + 1));
    expect(committed).toHaveLength(3000);
    await queue.stop();
  });

  it('is all that came in one turn, where nothing was under way', async () => {
    const { queue, batches } = queueBefore();
    for (let burst = 0; burst < 3; burst++) {
      await Promise.all(Array.from({ length: 100 }, () => append(queue)));
      for (let turn = 0; turn < 2; turn++) await new Promise((resolve) => setImmediate(resolve));
    }
    expect(batches).toEqual([100, 100, 100]);
    await queue.stop();
  });

  it('is half of what is under way, where callers wait for their answers: they go on while the other half is written', async () => {
    const { queue, batches } = queueBefore();
    const callers = 64;
    const each = 20;
    await Promise.all(
      Array.from({ length: callers }, async () => {
        for (let left = each; left > 0; left--) await append(queue);
      }),
    );
    expect(batches[0]).toBe(callers);
    const settled = batches.slice(2, -2);
    expect(settled.length).toBeGreaterThan(each);
    for (const size of settled) expect(size).toBe(callers / 2);
    await queue.stop();
  });

  it('is not cut smaller than a transaction is worth', async () => {
    const { queue, batches } = queueBefore();
    const rounds = 10;
    for (let round = 0; round < rounds; round++) await Promise.all(Array.from({ length: 30 }, () => append(queue)));
    expect(batches).toEqual(Array(rounds).fill(30));
    await queue.stop();
  });
});
