import { describe, expect, test } from 'vitest';
import { nthId } from '../support/ledger.ts';
import { portId, sharedLedger, slugOf } from './support.ts';

describe('GET /v1/ports/{id}/why', () => {
  const shared = sharedLedger([], async ({ command, post }) => {
    await command('CreatePort', { name: 'eth0' });
    await post('/v1/clock', { advance: 'PT1M' });
    await command('AddProvisioningComponent', { entity: 'firewall' });
    await command('CreatePort', {}, {}, nthId(2));
    await command('DeletePort', {}, {}, nthId(2));
  });
  const why = (query = '', id = portId) => shared().get(`/v1/ports/${id}/why${query}`);

  test('tells the moment it is told for, which a moment of the past may be', async () => {
    const { body: now, headers } = await why();
    expect(now).toMatchObject({ at: { revision: 1 }, resource: { kind: 'port', id: portId, name: 'eth0' } });
    expect(headers.get('stackledger-position')).toBe(now.at.position);
    const names = (body: { conditions: { what: string }[] }) => body.conditions.map(({ what }) => what);
    expect(names(now)).toContain('entity-report');
    for (const at of ['0', '2026-01-01T00:00:30Z', now.at.position.replace(/.$/, '1')]) {
      const { body: then } = await why(`?at=${at}`);
      expect(then.at.revision).toBe(0);
      expect(names(then)).not.toContain('entity-report');
    }
  });

  test('still answers for a port that was deleted', async () => {
    expect(await why('', nthId(2))).toMatchObject({ status: 200, body: { verdict: 'gone', conditions: [] } });
  });

  test.each([
    ['a port there never was', '', nthId(99), 404, 'port-not-found'],
    ['an id that is none', '', 'eth0', 400, 'invalid-request'],
    ['a moment before the port', '?at=2025-01-01T00:00:00Z', portId, 404, 'not-yet-created'],
    ['a revision it does not have', '?at=17', portId, 404, 'no-such-revision'],
    ['a position the ledger has not reached', '?at=0000000000009999', portId, 404, 'no-such-position'],
    ['a moment that is none', '?at=yesterday', portId, 400, 'invalid-request'],
  ])('%s', async (_, query, id, status, slug) => {
    const answer = await why(query, id);
    expect([answer.status, slugOf(answer)]).toEqual([status, slug]);
  });
});
