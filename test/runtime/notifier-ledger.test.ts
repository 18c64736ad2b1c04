import { afterEach, describe, expect, test } from 'vitest';
import { aggregates } from '../../src/domain/aggregates.ts';
import type { Aggregate } from '../../src/domain/kernel/aggregate.ts';
import type { EventStore } from '../../src/store/event-store.ts';
import { nthId } from '../support/ledger.ts';
import { novaAnswers, openSite, says } from './notifier-nova.ts';

let site: Awaited<ReturnType<typeof openSite>>;
afterEach(() => site.close());

/** The ledger with one of its verbs done otherwise. */
const having = (store: EventStore, verbs: Partial<EventStore>): EventStore =>
  new Proxy(store, {
    get(target, name) {
      const value = (verbs[name as keyof EventStore] ?? Reflect.get(target, name, target)) as unknown;
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });

describe('a ledger', () => {
  test('that cannot be read for a moment is read on from where it was', async () => {
    site = await openSite(novaAnswers());
    let failures = 2;
    const failed: unknown[] = [];
    let failedTwice: () => void;
    const over = new Promise<void>((resolve) => {
      failedTwice = resolve;
    });
    const store = having(site.store, {
      readStream: (...args) => {
        if (failures-- > 0) throw new Error('the disk is away');
        return site.store.readStream(...args);
      },
    });
    const observer = {
      followFailed: (error: unknown) => {
        failed.push((error as Error).message);
        if (failed.length === 1) void Promise.resolve().then(() => site.clock.advance(1000));
        else failedTwice();
      },
    };
    const notifier = await site.startNotifier({ store, observer });
    for (const n of [1, 2]) await site.ports.create(n);
    await site.ports.plugMany(1, 2);
    await over;
    await site.clock.advance(1000);
    await notifier.idle();
    await site.clock.advance(2000);
    await notifier.idle();
    expect(failed).toEqual(['the disk is away', 'the disk is away']);
    expect(site.told().flat()).toEqual(['plugged 1', 'plugged 2']);
  });

  test('that cannot keep the checkpoint does not keep Nova from being told', async () => {
    site = await openSite(novaAnswers());
    const failed: unknown[] = [];
    const store = having(site.store, { saveCheckpoint: async () => Promise.reject(new Error('the disk is full')) });
    const observer = { checkpointFailed: (error: unknown) => failed.push(error) };
    const notifier = await site.startNotifier({ store, observer });
    await site.ports.create(1);
    await site.ports.plug(1);
    await notifier.idle();
    expect(site.told()).toEqual([['plugged 1']]);
    expect(failed.length).toBeGreaterThan(0);
  });

  test('with a port that cannot be folded holds up no other port', async () => {
    site = await openSite(novaAnswers());
    const ports: Aggregate = {
      ...aggregates.port,
      begin: {
        ...aggregates.port.begin,
        PortCreated: (data, context) => {
          if (context.id === nthId(1)) throw new Error('from the future');
          return aggregates.port.begin.PortCreated!(data, context);
        },
      },
    };
    const notifier = await site.startNotifier({ ports });
    for (const n of [1, 2]) await site.ports.create(n);
    await site.ports.plugMany(1, 2);
    await notifier.idle();
    expect(site.told()).toEqual([['plugged 2']]);
    expect(site.heard).toEqual(['skipped']);
    expect(notifier.health().skipped).toBe(1);
  });

  test('with more news than fit in memory while Nova is away is told in full, in order', async () => {
    site = await openSite(says(503), novaAnswers());
    const notifier = await site.startNotifier();
    await site.ports.create(1);
    const expected: string[] = [];
    for (let n = 0; n < 600; n++) {
      await site.ports.plug(1);
      await site.ports.unplug(1);
      expected.push('plugged 1', 'unplugged 1');
    }
    while (!notifier.health().failure) await new Promise((resolve) => setImmediate(resolve));
    expect(notifier.health().waiting).toBeLessThanOrEqual(1024);
    await site.clock.advance(1000);
    await notifier.idle();
    await site.clock.advance(2000);
    await notifier.idle();
    expect(site.told().slice(1).flat()).toEqual(expected);
    expect(notifier.health()).toMatchObject({ accepted: 1200, waiting: 0 });
  });
});
