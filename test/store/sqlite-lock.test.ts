import { once } from 'node:events';
import { hostname } from 'node:os';
import { describe, expect, it } from 'vitest';
import { all, faultOf, freshStream, someEvents, write } from '../contract/support.ts';
import { ledgerFolder, startChild } from './support.ts';

const ledgers = ledgerFolder();

describe('a ledger that another process has open', () => {
  it('is refused at once, and the holder named', async () => {
    const path = ledgers.newPath();
    const holder = startChild('hold-ledger', path);
    await once(holder.lines, 'line');
    const start = performance.now();
    const fault = await faultOf(ledgers.open(path));
    expect(performance.now() - start).toBeLessThan(500);
    expect(fault).toMatchObject({ code: 'ledger-locked', path });
    expect(fault).toMatchObject({ holder: expect.stringMatching(`^pid ${holder.pid} on ${hostname()} since \\d{4}-`) });
    await holder.kill();
  });

  it('is free when its holder was killed', async () => {
    const path = ledgers.newPath();
    const holder = startChild('hold-ledger', path);
    await once(holder.lines, 'line');
    await holder.kill();
    const store = await ledgers.open(path);
    expect(await write(store, freshStream(), someEvents(1))).toBe(await store.head());
  });

  it('may be read meanwhile', async () => {
    const path = ledgers.newPath();
    const holder = startChild('hold-ledger', path);
    await once(holder.lines, 'line');
    expect(await all((await ledgers.open(path, { readOnly: true })).readAll())).toEqual([]);
    await holder.kill();
  });
});

describe('a ledger that this process has open', () => {
  it('is refused a second time until it is closed', async () => {
    const path = ledgers.newPath();
    const first = await ledgers.open(path, { now: () => 0 });
    const holder = `pid ${process.pid} on ${hostname()} since 1970-01-01T00:00:00.000Z`;
    expect(await faultOf(ledgers.open(path))).toEqual({ code: 'ledger-locked', path, holder });
    await write(first, freshStream(), someEvents(1));
    await first.close();
    expect(await all((await ledgers.open(path)).readAll())).toHaveLength(1);
  });

  it('goes to exactly one of many who want it at the same time', async () => {
    const path = ledgers.newPath();
    const outcomes = await Promise.allSettled(Array.from({ length: 8 }, () => ledgers.open(path)));
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  });

  it('stays free when it could not be opened', async () => {
    const path = ledgers.newPath();
    await (await ledgers.open(path)).close();
    await faultOf(ledgers.open(path, { clock: 'manual' }));
    expect((await ledgers.open(path)).info.clock).toBe('system');
  });
});
