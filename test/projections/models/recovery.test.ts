import { setMaxListeners } from 'node:events';
import { copyFile, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { aggregates } from '../../../src/domain/aggregates.ts';
import type { Request } from '../../../src/projections/host/protocol.ts';
import { inProcess, inThread, type StartModel } from '../../../src/projections/host/start-model.ts';
import { openViews, type Views } from '../../../src/projections/views.ts';
import { isViewsError } from '../../../src/projections/views-error.ts';
import { openStore } from '../../../src/store/open-store.ts';
import { nthId, openLedger } from '../../support/ledger.ts';
import { all, openHere, tempFolder, upToDate } from './support.ts';

let folder: string;
let path: string;

beforeEach(async () => {
  folder = await tempFolder();
  path = join(folder, 'views.db');
});
afterEach(() => rm(folder, { recursive: true }));

const createPorts = async (
  { execute }: Pick<Awaited<ReturnType<typeof openLedger>>, 'execute'>,
  from: number,
  to: number,
) => {
  for (let n = from; n < to; n++) await execute('port', nthId(n), 'CreatePort', { name: `port ${n}` });
};
const count = async (views: Views) => (await all(views, 'port')).length;
const resourcesHealth = async (views: Views) =>
  (await views.health()).projections.find(({ name }) => name === 'resources')!;

/** Lets a test come between the read models and whoever talks to them. */
function intercepted(start: StartModel, onRequest: (request: Request, pass: () => void) => void): StartModel {
  return (options, listener) => {
    const connection = start(options, listener);
    return { ...connection, send: (request) => onRequest(request, () => connection.send(request)) };
  };
}

describe('a commit whose answer is lost although it was stored', () => {
  test('is found out by asking the file where it stands, and nothing is applied twice', async () => {
    const ledger = await openLedger();
    let lose = false;
    const lossy: StartModel = (options, listener) =>
      inProcess(aggregates)(options, {
        ...listener,
        onReply(reply) {
          const isCommit = reply.kind === 'answer' && (reply.answer as { fits?: boolean } | null)?.fits !== undefined;
          if (!lose || !isCommit) return listener.onReply(reply);
          lose = false;
          listener.onReply({ kind: 'fault', id: reply.id, fault: { code: 'failed', reason: 'the answer timed out' } });
        },
      });
    const faults: string[] = [];
    const observer = { faulted: (error: unknown) => faults.push(String(error)) };
    const views = await upToDate(await openViews({ store: ledger.store, start: lossy, observer }), ledger.store);
    await createPorts(ledger, 0, 10);
    await upToDate(views, ledger.store);
    lose = true;
    await createPorts(ledger, 10, 500);
    await upToDate(views, ledger.store);
    expect(faults).toEqual(['ViewsError: The read models failed and recover: the answer timed out']);
    expect(await count(views)).toBe(500);
    const rates = (await views.ask('rates', { from: '2026-01-01T00:00', to: '2026-01-01T00:00' })).value;
    expect(rates).toMatchObject([{ events: Number(await ledger.store.head()), commands: 500 }]);
    expect(await resourcesHealth(views)).toMatchObject({ lag: 0, lastError: null });
  });
});

describe('a file that cannot be written for a while', () => {
  test('shows in health, is tried again, and costs nothing', async () => {
    const ledger = await openLedger();
    let broken = false;
    const start = intercepted(inProcess(aggregates), (request, pass) => {
      if (!broken || request.call !== 'apply') return pass();
      const lock = new Database(path);
      lock.exec('BEGIN IMMEDIATE');
      lock.prepare('UPDATE checkpoint SET position = position').run();
      try {
        pass();
      } finally {
        queueMicrotask(() => queueMicrotask(() => lock.close()));
      }
    });
    const views = await upToDate(
      await openViews({ store: ledger.store, path, start, now: () => Date.now() }),
      ledger.store,
    );
    await createPorts(ledger, 0, 5);
    await upToDate(views, ledger.store);

    broken = true;
    await createPorts(ledger, 5, 10);
    await expect.poll(async () => (await views.health()).ready, { timeout: 10_000 }).toBe(false);
    const { reason, projections } = await views.health();
    expect(reason).toContain('cannot follow the ledger: database is locked');
    expect(projections[0]).toMatchObject({ lag: Number(await ledger.store.head()) - Number(views.position) });
    expect(await count(views)).toBe(5); // it still answers, and says as of when

    broken = false;
    await upToDate(views, ledger.store);
    expect(await count(views)).toBe(10);
    expect((await views.health()).ready).toBe(true);
    await views.close();
  }, 30_000);
});

describe('a reader of its own writes', () => {
  test('waits until the models include them, or is told that they do not yet', async () => {
    const ledger = await openLedger();
    let held: (() => void)[] | null = null;
    const start = intercepted(inProcess(aggregates), (request, pass) => {
      if (held && request.call === 'apply') held.push(pass);
      else pass();
    });
    const views = await upToDate(await openViews({ store: ledger.store, start }), ledger.store);
    held = [];
    await createPorts(ledger, 0, 1);
    const position = await ledger.store.head();
    expect(await views.waitFor(position, 30)).toBe(false);
    const waiting = views.waitFor(position, 10_000);
    for (const pass of held.splice(0)) pass();
    held = null;
    expect(await waiting).toBe(true);
    const { position: answered, value } = await views.ask('list', { kind: 'port' });
    expect(answered >= position).toBe(true);
    expect(value.items).toHaveLength(1);
  });

  test('gives up when its caller goes away', async () => {
    const { store } = await openLedger();
    const views = await upToDate(await openHere(store), store);
    const gone = new AbortController();
    const waiting = views.waitFor('0000000000000999', 60_000, gone.signal);
    gone.abort();
    expect(await waiting).toBe(false);
  });
});

describe('read models that are built anew while they are asked', () => {
  test('answer all the time, always with the position of the model that answers, and never fall behind what they said', async () => {
    const ledgerFile = join(folder, 'ledger.db');
    const ledger = await openLedger({}, `sqlite:${ledgerFile}`);
    await createPorts(ledger, 0, 300);
    const views = await openViews({ store: ledger.store, path, ledgerFile });
    await upToDate(views, ledger.store);

    let building = true;
    const rebuildThrice = async () => {
      for (let round = 0; round < 3; round++) await views.rebuild();
      building = false;
    };
    const rebuilt = rebuildThrice();
    let last = '';
    let created = 300;
    let answers = 0;
    while (building) {
      await createPorts(ledger, created, ++created);
      const { position, value } = await views.ask('counts', { kind: 'port' });
      const counted = value.reduce((sum, { count: n }) => sum + n, 0);
      expect(counted).toBe(Number(position)); // a port is one event here
      expect(position >= last).toBe(true);
      last = position;
      answers += 1;
    }
    await rebuilt;
    await upToDate(views, ledger.store);
    expect(answers).toBeGreaterThan(3);
    expect(await count(views)).toBe(created);
    await views.close();

    const again = await openViews({ store: ledger.store, path, ledgerFile });
    expect(again.position).toBe(await ledger.store.head());
    await again.close();
    await ledger.store.close();
  }, 30_000);

  test('say that they are not ready before there are any', async () => {
    const { store } = await openLedger();
    const views = await openHere(store);
    const error = await views.ask('counts', {}).catch((thrown: unknown) => thrown);
    expect(isViewsError(error, 'not-ready')).toBe(true);
    expect(await views.health()).toMatchObject({ ready: false, reason: 'The read models are being built.' });
    await upToDate(views, store);
    await expect.poll(() => views.health()).toMatchObject({ ready: true, building: null });
  });

  test('are built because the fold has another version, and the old ones answer until then', async () => {
    const ledger = await openLedger();
    await createPorts(ledger, 0, 5);
    const first = await upToDate(await openHere(ledger.store, { path }), ledger.store);
    await first.close();
    await createPorts(ledger, 5, 8);

    const reasons: string[] = [];
    const port = { ...aggregates.port, foldVersion: aggregates.port.foldVersion + 1, status: () => 'NEW' };
    const observer = { buildStarted: (reason: string) => reasons.push(reason) };
    const second = await openHere(ledger.store, { path, observer }, { ...aggregates, port });
    expect(await count(second)).toBe(5);
    expect(second.position).toBe('0000000000000005');
    expect((await second.health()).reason).toContain('an earlier version');
    await upToDate(second, ledger.store);
    expect((await second.ask('counts', {})).value).toEqual([{ kind: 'port', status: 'NEW', count: 8 }]);
    expect(reasons).toEqual(['the read models were made by another version']);
    await second.close();
  });
});

describe('the file of the read models', () => {
  const reopened = async (store: Parameters<typeof openViews>[0]['store']) => {
    const reasons: string[] = [];
    const views = await openHere(store, { path, observer: { buildStarted: (reason) => reasons.push(reason) } });
    await upToDate(views, store);
    return { views, reasons };
  };

  test('may be deleted, cut short or overwritten between two starts', async () => {
    const ledger = await openLedger();
    await createPorts(ledger, 0, 50);
    const first = await reopened(ledger.store);
    await first.views.close();
    const whole = await readFile(path);
    for (const spoil of [
      () => rm(path),
      () => writeFile(path, whole.subarray(0, 5000)),
      () => writeFile(path, 'this is no database'),
      () => writeFile(path, ''),
      () => writeFile(`${path}-wal`, 'left behind'),
    ]) {
      await spoil();
      const { views } = await reopened(ledger.store);
      expect(await count(views)).toBe(50);
      await views.close();
    }
  });

  test('goes on from where it was', async () => {
    const ledger = await openLedger();
    await createPorts(ledger, 0, 5);
    await (await reopened(ledger.store)).views.close();
    await createPorts(ledger, 5, 7);
    const { views, reasons } = await reopened(ledger.store);
    expect(reasons).toEqual([]);
    expect(await count(views)).toBe(7);
    await views.close();
  });

  test('is of no use to another ledger, nor to one that was put back to an earlier day', async () => {
    const ledgerFile = join(folder, 'ledger.db');
    const ledger = await openLedger({}, `sqlite:${ledgerFile}`);
    await createPorts(ledger, 0, 5);
    await ledger.store.close();
    await copyFile(ledgerFile, `${ledgerFile}.backup`);
    const later = await openLedger({}, `sqlite:${ledgerFile}`);
    await createPorts(later, 5, 9);
    await (await reopened(later.store)).views.close();
    await later.store.close();
    await copyFile(`${ledgerFile}.backup`, ledgerFile);

    const restored = await openStore(`sqlite:${ledgerFile}`, { clock: 'manual' });
    const back = await reopened(restored);
    expect(back.reasons).toEqual(['the read models are ahead of the ledger']);
    expect(await count(back.views)).toBe(5);
    await back.views.close();
    await restored.close();

    const other = await openLedger();
    const { views, reasons } = await reopened(other.store);
    expect(reasons).toEqual(['there are no read models of use']);
    expect(await count(views)).toBe(0);
    await views.close();
  });

  test('that cannot be made is tried again and again, and health says why', async () => {
    const { store } = await openLedger();
    const notAFolder = join(folder, 'not-a-folder');
    await writeFile(notAFolder, '');
    const views = await openHere(store, { path: join(notAFolder, 'views.db'), start: inThread });
    await expect.poll(async () => (await views.health()).reason, { timeout: 10_000 }).toContain('cannot be built');
    await rm(notAFolder);
    await upToDate(views, store);
    expect(await views.health()).toMatchObject({ ready: true });
    await views.close();
  });
});

describe('many questions at once', () => {
  test('are bounded, and those whose askers went away are not asked', async () => {
    const { store } = await openLedger();
    const asked: string[] = [];
    let held: (() => void)[] | null = null;
    const start = intercepted(inProcess(aggregates), (request, pass) => {
      if (request.call !== 'ask' || !held) return pass();
      asked.push(JSON.stringify(request.ask));
      held.push(pass);
    });
    const views = await upToDate(await openViews({ store, start }), store);
    held = [];
    const gone = new AbortController();
    setMaxListeners(0, gone.signal);
    const questions = Array.from({ length: 1100 }, (_, n) =>
      views.ask('list', { kind: 'port', limit: 1 + (n % 1000) }, n >= 4 && n < 54 ? gone.signal : undefined),
    );
    const outcomes = Promise.allSettled(questions);
    gone.abort(new Error('nobody listens'));
    const pump = setInterval(() => {
      for (const pass of held!.splice(0)) pass();
    }, 1);
    const settled = await outcomes;
    clearInterval(pump);
    const reasons = settled.filter((outcome) => outcome.status === 'rejected').map(({ reason }) => reason as Error);
    expect(reasons.filter((error) => error.message === 'nobody listens')).toHaveLength(50);
    const overloaded = reasons.filter((error) => isViewsError(error, 'overloaded'));
    expect(overloaded.length).toBe(1100 - 1000 - 4);
    expect(asked.length).toBe(1100 - 50 - overloaded.length);
  });
});
