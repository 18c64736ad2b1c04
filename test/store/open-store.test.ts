import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openStore } from '../../src/store/open-store.ts';
import { faultOf } from '../contract/support.ts';
import { ledgerFolder } from './support.ts';

const { folder } = ledgerFolder();

describe('the URL of a ledger', () => {
  it('names a file, relative or from the root', async () => {
    const path = join(folder, 'ledger.db');
    for (const url of [`sqlite:${path}`, `sqlite://${path}`]) {
      const store = await openStore(url);
      expect(store.info.engine).toBe('sqlite');
      expect(await faultOf(openStore(`sqlite:${path}`))).toMatchObject({ code: 'ledger-locked', path });
      await store.close();
    }
  });

  it('names memory', async () => {
    const [one, other] = [await openStore('memory:', { clock: 'manual' }), await openStore('memory:')];
    expect([one.info.clock, other.info.clock]).toEqual(['manual', 'system']);
    expect(one.info.ledgerId).not.toBe(other.info.ledgerId);
  });

  const wrong: Record<string, string> = {
    '': 'does not begin with sqlite:, memory:, esdb: or esdb+discover:',
    './data/ledger.db': 'does not begin with sqlite:, memory:, esdb: or esdb+discover:',
    'postgres://db/ledger': 'does not begin with sqlite:, memory:, esdb: or esdb+discover:',
    'sqlite:': 'write sqlite:./data/ledger.db',
    'memory:ledger': 'has no name',
    'esdb:ledger': 'write esdb://<host>:<port>',
    'esdb://localhost?nodePreference=follower': 'the leader is always asked',
    'esdb://localhost?tsl=false': 'tsl is no option',
    'esdb+discover://one,two': 'takes one name',
  };
  for (const [url, reason] of Object.entries(wrong)) {
    it(`is refused: "${url}"`, async () => {
      const fault = await faultOf(openStore(url));
      expect(fault).toMatchObject({ code: 'unusable-ledger', path: url, reason: expect.stringContaining(reason) });
    });
  }

  it('does not open memory to be read only', async () => {
    expect(await faultOf(openStore('memory:', { readOnly: true }))).toMatchObject({ code: 'unusable-ledger' });
  });
});
