import type { AppendRequest, AppendResult, EventStore } from '../../src/store/event-store.ts';
import { StoreError, type StoreFault } from '../../src/store/store-error.ts';

const diskFull: StoreFault = { code: 'not-writable', reason: 'the disk is full' };

/** A store whose appends can be held back and made to fail, in the order in which they were asked for. */
export function flaky(store: EventStore) {
  const held: (() => void)[] = [];
  let holding = false;
  let failures = 0;
  let fault = diskFull;

  const gate = async (): Promise<void> => {
    if (holding) await new Promise<void>((resolve) => held.push(resolve));
  };
  const append = async (request: AppendRequest): Promise<AppendResult> => {
    const fails = failures > 0;
    if (fails) failures -= 1;
    await gate();
    if (fails) throw new StoreError(fault);
    return store.append(request);
  };

  const proxy = new Proxy(store, {
    get(target, name) {
      if (name === 'append') return append;
      const value = Reflect.get(target, name, target) as unknown;
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });

  return {
    store: proxy,
    /** Appends wait from now on, until `release`. */
    hold: () => {
      holding = true;
    },
    release: () => {
      holding = false;
      for (const go of held.splice(0)) go();
    },
    /** The next `count` appends fail, as on a full disk unless another fault is given. */
    failNext: (count: number, by = diskFull) => {
      failures = count;
      fault = by;
    },
    get waiting() {
      return held.length;
    },
  };
}
