import { describe, expect, test } from 'vitest';
import { nthId, openLedger } from '../../support/ledger.ts';
import { openHere, tempFolder, upToDate } from './support.ts';

const [port, other, server] = [nthId(0xabc), nthId(0xdef), nthId(3)];
const host = 'Compute-17.Example';

describe('who looks for a resource', () => {
  async function site(url = 'memory:') {
    const ledger = await openLedger({}, url);
    const { execute } = ledger;
    const fixedIps = [
      { subnetId: nthId(9), ipAddress: '10.0.0.17' },
      { subnetId: nthId(9), ipAddress: '2001:DB8::17' },
    ];
    await execute('port', port, 'CreatePort', { name: 'Web-1', macAddress: 'fa:16:3e:00:00:01', fixedIps });
    await execute('port', other, 'CreatePort', { name: 'ÄRGER', macAddress: 'fa:16:3e:00:00:02' });
    await execute('server', server, 'CreateServer', { name: 'web-1' });
    await execute('agent', `${host}:DHCP agent`, 'RegisterAgent', {});
    return ledger;
  }

  const cases: readonly (readonly [string, readonly string[]])[] = [
    ['WEB-1', [port, server]],
    ['web-1', [port, server]],
    ['Web', [port, server]],
    ['ärg', [other]],
    [port.toUpperCase(), [port]],
    ['FA-16-3E-00-00-01', [port]],
    ['fa:16:3E:00:00:02', [other]],
    ['fa-16-3e-', [port, other]],
    ['10.0.0.1', [port]],
    ['2001:db8::', [port]],
    ['compute-17', [`${host}:DHCP agent`]],
    ['%', []],
  ];

  test('finds it in upper and in lower case, by its addresses as well', async () => {
    const { store, execute } = await site();
    const views = await upToDate(await openHere(store), store);
    const found = async (text: string, kind?: 'port' | 'server') =>
      (await views.ask('search', { text, ...(kind && { kind }) })).value.map(({ id }) => id);
    for (const [text, ids] of cases) expect((await found(text)).sort(), text).toEqual([...ids].sort());
    expect(await found('WEB', 'server')).toEqual([server]);

    await execute('port', port, 'UpdatePort', { name: 'DB-1', fixedIps: [] });
    await execute('port', other, 'DeletePort');
    await upToDate(views, store);
    expect(await Promise.all(['web-1', '10.0.0.1', 'db', 'FA-16'].map((text) => found(text, 'port')))).toEqual([
      [],
      [],
      [port],
      [port, other],
    ]);
  });

  test('finds the same where the read models were built from the file', async () => {
    const ledgerFile = `${await tempFolder()}/ledger.db`;
    const { store } = await site(`sqlite:${ledgerFile}`);
    const views = await upToDate(await openHere(store, { ledgerFile, path: `${ledgerFile}.views.db` }), store);
    for (const [text, ids] of cases) {
      const { value } = await views.ask('search', { text });
      expect(value.map(({ id }) => id).sort(), text).toEqual([...ids].sort());
    }
    await views.close();
    await store.close();
  });
});
