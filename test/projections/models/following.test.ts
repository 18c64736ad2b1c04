import fc from 'fast-check';
import jsonPatch, { type Operation } from 'fast-json-patch';
import { describe, expect, test } from 'vitest';
import type { Json } from '../../../src/domain/kernel/json.ts';
import type { ChangeMessage } from '../../../src/projections/changes.ts';
import type { FollowMessage } from '../../../src/projections/follow.ts';
import { diff } from '../../../src/projections/json-diff.ts';
import type { ListedResource, Page } from '../../../src/projections/queries.ts';
import type { Views } from '../../../src/projections/views.ts';
import { nthId, openLedger } from '../../support/ledger.ts';
import { liveAtSite } from './site.ts';
import { all, openHere, upToDate } from './support.ts';

const { applyPatch } = jsonPatch;
const apply = (document: unknown, patch: readonly unknown[]): Json =>
  applyPatch(structuredClone(document), structuredClone(patch) as Operation[], true).newDocument as Json;

async function site() {
  const ledger = await openLedger();
  const views = await upToDate(await openHere(ledger.store), ledger.store);
  return { ...ledger, views, ready: () => upToDate(views, ledger.store) };
}

describe('the difference of two documents', () => {
  test('makes the one of the other, whatever they are', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 4 }), fc.jsonValue({ maxDepth: 4 }), (before, after) => {
        // The library that applies the patches here refuses to touch this name.
        fc.pre(!JSON.stringify([before, after]).includes('__proto__'));
        // Through text: what a document is to whoever receives it.
        const [one, other] = [before, after].map((value) => JSON.parse(JSON.stringify(value)) as Json) as [Json, Json];
        expect(apply(one, diff(one, other))).toEqual(other);
        expect(diff(one, JSON.parse(JSON.stringify(one)))).toEqual([]);
      }),
      { numRuns: 1000 },
    );
  });

  test('is one operation where a row is put in front of a hundred others', () => {
    const rows = Array.from({ length: 100 }, (_, n) => ({ id: n, name: `row ${n}` }));
    expect(diff(rows, [{ id: -1, name: 'new' }, ...rows])).toEqual([
      { op: 'add', path: '/0', value: { id: -1, name: 'new' } },
    ]);
    expect(diff(rows, rows.slice(1))).toEqual([{ op: 'remove', path: '/0' }]);
  });
});

/** Takes what has come so far. */
async function taken(messages: AsyncIterator<ChangeMessage>, until: string): Promise<ChangeMessage[]> {
  const got: ChangeMessage[] = [];
  for (let last = ''; last < until; ) {
    const { value, done } = await messages.next();
    if (done) return got;
    got.push(value);
    last = value.kind === 'change' ? value.change.position : until;
  }
  return got;
}

describe('whoever listens to changes', () => {
  test('can keep every view up to date by the patches alone', async () => {
    const ledger = await site();
    const { views, ready, store } = ledger;
    const messages = views.changes.subscribe({ maxPending: 100_000 });
    await liveAtSite(ledger, 3, 800);
    await ready();
    const documents = new Map<string, Json>();
    for (const message of await taken(messages, await store.head())) {
      if (message.kind !== 'change') throw new Error('it was cut off');
      const { resource, patch, viewText } = message.change;
      const key = `${resource.kind} ${resource.id}`;
      documents.set(key, apply(documents.get(key) ?? null, patch));
      expect(documents.get(key)).toEqual(JSON.parse(viewText));
    }
    for (const { id, viewText } of await all(views, 'port'))
      expect(documents.get(`port ${id}`)).toEqual(JSON.parse(viewText));
    expect(documents.size).toBeGreaterThan(70);
  });

  test('hears of one kind or one resource only, if that is what it asked for', async () => {
    const { views, execute, ready, store } = await site();
    const one = views.changes.subscribe({ kind: 'port', id: nthId(2) });
    for (const n of [1, 2, 3]) await execute('port', nthId(n), 'CreatePort');
    await execute('node', nthId(2), 'EnrollNode');
    await execute('port', nthId(2), 'UpdatePort', { name: 'two' });
    await ready();
    const heard = await taken(one, await store.head());
    expect(heard.every((message) => message.kind === 'change' && message.change.resource.id === nthId(2))).toBe(true);
    expect(heard.at(-1)).toMatchObject({ change: { resource: { kind: 'port', id: nthId(2) }, revision: 1 } });
  });

  test('and is slow gets the changes of a resource as one', async () => {
    const { views, execute, ready } = await site();
    await execute('port', nthId(1), 'CreatePort', { name: 'a' });
    await ready();
    const messages = views.changes.subscribe({ kind: 'port' });
    for (const name of ['b', 'c', 'd']) {
      await execute('port', nthId(1), 'UpdatePort', { name });
      await ready();
    }
    const { value } = await messages.next();
    expect(value).toMatchObject({ kind: 'change', change: { revision: 3 } });
  });

  test('and is too slow is cut off, told from where on it missed something, and holds up nobody', async () => {
    const { views, execute, ready } = await site();
    await execute('port', nthId(0), 'CreatePort');
    await ready();
    const slow = views.changes.subscribe({ maxPending: 10 });
    const began = views.position;
    const quick = views.changes.subscribe();
    for (let n = 1; n <= 20; n++) {
      await execute('port', nthId(n), 'CreatePort');
      await ready();
      expect((await quick.next()).value).toMatchObject({ change: { resource: { id: nthId(n) } } });
    }
    expect((await slow.next()).value).toEqual({ kind: 'lagging', position: began });
    expect((await slow.next()).done).toBe(true);
  });

  test('is released when it stops, when its signal aborts and when the views close', async () => {
    const { views } = await site();
    const stop = new AbortController();
    const aborted = views.changes.subscribe({ signal: stop.signal });
    const waiting = aborted.next();
    stop.abort();
    expect((await waiting).done).toBe(true);
    const other = views.changes.subscribe();
    await other.return?.();
    expect(views.changes.isWatched).toBe(false);
    const last = views.changes.subscribe().next();
    await views.close();
    expect((await last).done).toBe(true);
  });
});

const names = (page: Page<ListedResource>): Json =>
  page.items.map(({ viewText }) => {
    const { name, status } = JSON.parse(viewText) as { name: string; status: string };
    return { name, status };
  });

/** A reader that applies what it is sent. */
async function reader(views: Views, follow: AsyncGenerator<FollowMessage>) {
  let document: Json = null;
  const kinds: string[] = [];
  let position = '';
  const reading = (async () => {
    for await (const message of follow) {
      document = message.kind === 'snapshot' ? message.document : apply(document, message.patch);
      kinds.push(message.kind);
      position = message.position;
    }
  })();
  return { document: () => document, kinds, position: () => position, done: reading, views };
}

describe('whoever follows a list', () => {
  test('has at any time what somebody who asks anew gets', async () => {
    const { views, execute, ready } = await site();
    const ask = { kind: 'port', status: ['DOWN'], sort: { by: 'name' }, limit: 5 } as const;
    const first = await reader(views, views.follow('list', ask, { render: names }));
    const second = await reader(views, views.follow('list', ask, { render: names }));
    for (let n = 0; n < 12; n++) await execute('port', nthId(n), 'CreatePort', { name: `port ${20 - n}` });
    await execute('port', nthId(11), 'SetPortStatus', { status: 'BUILD' });
    await execute('port', nthId(10), 'DeletePort');
    await ready();
    const expected = names((await views.ask('list', ask)).value);
    for (const { document, kinds } of [first, second]) {
      await expect.poll(document).toEqual(expected);
      expect(kinds[0]).toBe('snapshot');
    }
    await views.close();
    await Promise.all([first.done, second.done]);
  });

  test('is told a change as a patch', async () => {
    const { views, execute, ready } = await site();
    await execute('port', nthId(1), 'CreatePort', { name: 'a' });
    await ready();
    const stop = new AbortController();
    const follow = views.follow('list', { kind: 'port' }, { render: names, signal: stop.signal });
    expect((await follow.next()).value).toMatchObject({ kind: 'snapshot', document: [{ name: 'a', status: 'DOWN' }] });
    const next = follow.next();
    await execute('port', nthId(1), 'UpdatePort', { name: 'b' });
    expect((await next).value).toMatchObject({
      kind: 'patch',
      patch: [{ op: 'replace', path: '/0/name', value: 'b' }],
    });
    stop.abort();
    expect((await follow.next()).done).toBe(true);
    expect(views.changes.isWatched).toBe(false);
  });

  test('hears why where the question makes no sense', async () => {
    const { views } = await site();
    await expect(views.follow('list', { kind: 'port', limit: 0 }, { render: names }).next()).rejects.toThrow(
      'A limit is',
    );
  });
});

describe('whoever follows one resource', () => {
  const view = (resource: ListedResource | null): Json => resource && (JSON.parse(resource.viewText) as Json);

  test('comes back after a break without loss or repeat', async () => {
    const { views, execute, ready } = await site();
    await execute('port', nthId(1), 'CreatePort', { name: 'a' });
    await execute('port', nthId(2), 'CreatePort');
    await ready();
    const ask = { kind: 'port', id: nthId(1) } as const;
    const first = await views.follow('resource', ask, { render: view }).next();
    const { position: after } = first.value as FollowMessage;

    // Nothing happened to it since: the first that comes is the next change.
    await execute('port', nthId(2), 'UpdatePort', { name: 'another' });
    await ready();
    const back = views.follow('resource', ask, { render: view, after });
    const next = back.next();
    await new Promise((resolve) => setTimeout(resolve, 300));
    await execute('port', nthId(1), 'UpdatePort', { name: 'b' });
    expect((await next).value).toMatchObject({ kind: 'patch' });
    await back.return();

    // Something happened to it in the meantime: it comes as a whole.
    const again = views.follow('resource', ask, { render: view, after });
    expect((await again.next()).value).toMatchObject({ kind: 'snapshot', document: { name: 'b' } });
    await again.return();
  });

  test('also sees it be born, and where nothing is, null', async () => {
    const { views, execute } = await site();
    const follow = views.follow('resource', { kind: 'port', id: nthId(5) }, { render: view });
    expect((await follow.next()).value).toMatchObject({ kind: 'snapshot', document: null });
    const next = follow.next();
    await execute('port', nthId(5), 'CreatePort', { name: 'born' });
    expect((await next).value).toMatchObject({
      kind: 'patch',
      patch: [{ op: 'replace', path: '', value: { name: 'born' } }],
    });
    await follow.return();
  });

  test('goes on across a rebuild', async () => {
    const { views, execute, ready } = await site();
    await execute('port', nthId(1), 'CreatePort', { name: 'a' });
    await ready();
    const one = await reader(views, views.follow('resource', { kind: 'port', id: nthId(1) }, { render: view }));
    await expect.poll(one.document).toMatchObject({ name: 'a' });
    await views.rebuild();
    await execute('port', nthId(1), 'UpdatePort', { name: 'after the rebuild' });
    await expect.poll(one.document).toMatchObject({ name: 'after the rebuild' });
    expect(one.kinds).toEqual(['snapshot', 'patch']);
    await views.close();
  });
});
