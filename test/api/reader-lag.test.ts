import { describe, expect, test } from 'vitest';
import { Metrics } from '../../src/api/monitoring/metrics.ts';
import { watchReaderLag } from '../../src/api/monitoring/reader-lag.ts';
import { nthId, openLedger } from '../support/ledger.ts';
import { eventually, startLedger } from './support.ts';

describe('those who follow the ledger', () => {
  test('are shown with how far they are behind, and how old what they have not seen is', async () => {
    const { store, clock, execute } = await openLedger();
    const positions: string[] = [];
    for (let n = 1; n <= 3; n++) {
      await execute('port', nthId(n), 'CreatePort');
      positions.push(await store.head());
      await clock.advance(60_000);
    }
    const metrics = new Metrics();
    const readers = { late: () => positions[0]!, current: () => store.head(), elsewhere: () => null };
    watchReaderLag({ metrics, store, clock, readers });
    const shown = async () => (await metrics.render()).split('\n').filter((line) => /^stackledger_reader/.test(line));
    expect(await shown()).toEqual([
      'stackledger_reader_lag_positions{reader="late"} 2',
      'stackledger_reader_lag_positions{reader="current"} 0',
      'stackledger_reader_lag_seconds{reader="late"} 120',
      'stackledger_reader_lag_seconds{reader="current"} 0',
    ]);
    positions[0] = positions[2]!;
    expect((await shown())[0]).toBe('stackledger_reader_lag_positions{reader="late"} 0');
    metrics.close();
  });

  test('are the read models and the process managers of every ledger', async () => {
    const { get, command } = await startLedger();
    await command('CreatePort');
    const lags = async () =>
      (await get('/metrics')).text.split('\n').filter((line) => line.startsWith('stackledger_reader_lag_positions'));
    await eventually(lags).toEqual([
      'stackledger_reader_lag_positions{reader="read-models"} 0',
      'stackledger_reader_lag_positions{reader="flows"} 0',
    ]);
  });
});
