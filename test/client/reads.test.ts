import { beforeAll, describe, expect, it } from 'vitest';
import { createClient } from '../../src/client/index.ts';
import { loadConfig } from '../../src/config.ts';
import { type Stackledger, startStackledger } from '../../src/main.ts';
import { nthId } from '../support/ledger.ts';
import { CuttingProxy } from './cutting-proxy.ts';

let ledger: Stackledger;
beforeAll(async () => {
  const flags = ['--port', '0', '--store', 'memory:', '--log-level', 'silent', '--read-wait-ms', '30000'];
  ledger = await startStackledger(loadConfig([...flags, '--shutdown-ms', '200'], {}));
  return () => ledger.stop();
});

const client = () => createClient({ baseUrl: ledger.url, retry: { firstDelayMs: 5, maxDelayMs: 20 } });
const rename = (id: string, name: string) => client().port(id).execute({ type: 'UpdatePort', data: { name } });

describe('a list', () => {
  it('is filtered and sorted, and holds what was just written', async () => {
    for (const n of [1, 2, 3]) {
      await client()
        .port(nthId(n))
        .execute({ type: 'CreatePort', data: { name: `p${n}`, projectId: 'list' } });
    }
    const { position } = await client()
      .port(nthId(2))
      .execute({ type: 'AddProvisioningComponent', data: { entity: 'L2' } });
    const now = { minPosition: position };
    const blocked = await client().list('port', { project: 'list', blockedBy: 'L2' }).get(now);
    expect(blocked.items.map(({ id }) => id)).toEqual([nthId(2)]);
    const sorted = await client().list('port', { project: 'list', sort: 'name:desc', limit: 2 }).get(now);
    expect(sorted.items.map(({ name }) => name)).toEqual(['p3', 'p2']);
    const rest = await client().list('port', { project: 'list', sort: 'name:desc', marker: sorted.next! }).get(now);
    expect(rest).toMatchObject({ items: [{ name: 'p1' }], next: null });
  });

  it('is refused with the pointer to a filter that cannot be', async () => {
    await expect(client().list('port', { since: 'yesterday' }).get()).rejects.toMatchObject({
      status: 400,
      errors: [{ pointer: '/since' }],
    });
  });
});

describe('a port that is watched', () => {
  it('is shown as it was and each time it changes, over a line that breaks, and never as it was before', async () => {
    const id = nthId(10);
    await client()
      .port(id)
      .execute({ type: 'CreatePort', data: { name: 'first' } });
    const proxy = await CuttingProxy.to(ledger.url);
    const watching = createClient({ baseUrl: proxy.url, retry: { firstDelayMs: 5, maxDelayMs: 20 } });
    const leaving = new AbortController();
    const seen: string[] = [];
    let disconnects = 0;
    const options = { signal: leaving.signal, onDisconnect: () => disconnects++ };
    for await (const { name } of watching.port(id).watch(options)) {
      seen.push(name);
      if (name === 'first') await rename(id, 'second');
      if (name === 'second') {
        proxy.breakAll();
        await rename(id, 'third');
      }
      if (name === 'third') leaving.abort();
    }
    expect(seen).toEqual(['first', 'second', 'third']);
    expect(disconnects).toBe(1);
    proxy.close();
  });

  it('is given up at once where there is none', async () => {
    await expect(client().port(nthId(99)).watch().next()).rejects.toMatchObject({ status: 404 });
  });
});

describe('the overview, who waits, a graph, an operation, a search', () => {
  it('are asked for by name', async () => {
    const id = nthId(20);
    const correlationId = 'order 66';
    await client()
      .port(id)
      .execute({ type: 'CreatePort', data: { name: 'alone' } }, { correlationId });
    const block = { type: 'AddProvisioningComponent', data: { entity: 'L2', host: 'compute-20' } } as const;
    const { position: minPosition } = await client().port(id).execute(block, { correlationId });
    const { events } = await client().operation(correlationId, { minPosition });
    expect(events.map(({ type }) => type)).toEqual(['PortCreated', 'ProvisioningComponentAdded']);
    const waiting = await client().blocked({ host: 'compute-20' }).get();
    expect(waiting.items).toMatchObject([{ resource: { id }, wait: { what: 'L2' } }]);
    expect((await client().overview().get()).blocked.total).toBeGreaterThanOrEqual(1);
    expect((await client().graph({ kind: 'port', id }).get()).vertices[0]).toMatchObject({ id, distance: 0 });
    expect((await client().search('alo').get()).items).toMatchObject([{ id, name: 'alone' }]);
  });
});
