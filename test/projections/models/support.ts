import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { aggregates } from '../../../src/domain/aggregates.ts';
import { type Kind, kinds } from '../../../src/domain/kernel/resource.ts';
import { inProcess, type StartModel } from '../../../src/projections/host/start-model.ts';
import type { Aggregates } from '../../../src/projections/models/projector.ts';
import type { ListedResource, PageQuery, QueryName } from '../../../src/projections/queries.ts';
import { openViews, type Views, type ViewsOptions } from '../../../src/projections/views.ts';
import type { EventStore } from '../../../src/store/event-store.ts';

export const tempFolder = (): Promise<string> => mkdtemp(join(tmpdir(), 'stackledger-views-'));

/** Read models in this thread, by the program's rules or others. */
export const openHere = (store: EventStore, options: Partial<ViewsOptions> = {}, rules: Aggregates = aggregates) =>
  openViews({ store, start: inProcess(rules), ...options });

/** Settles when the read models include everything that is in the ledger. */
export async function upToDate(views: Views, store: EventStore): Promise<Views> {
  if (await views.waitFor(await store.head(), 60_000)) return views;
  throw new Error(`The read models did not get beyond ${views.position}`);
}

/** Every item of a list, page by page. */
export async function everything<T>(views: Views, name: QueryName, ask: object, limit = 1000): Promise<T[]> {
  const items: T[] = [];
  for (let marker: string | null | undefined; marker !== null; ) {
    const page: PageQuery = { ...ask, limit, ...(marker !== undefined && { marker }) };
    const { value } = await views.ask(name, page as never);
    const { items: more, next } = value as { items: T[]; next: string | null };
    items.push(...more);
    marker = next;
  }
  return items;
}

export const all = (views: Views, kind: Kind): Promise<ListedResource[]> =>
  everything(views, 'list', { kind, deleted: 'include', sort: { by: 'id' } });

/** All that can be asked of read models, in one order: what two of the same ledger must agree on, byte for byte. */
export async function contents(views: Views, correlationIds: readonly string[]): Promise<string[]> {
  const lines: unknown[] = [];
  for (const kind of kinds) {
    const listed = await all(views, kind);
    lines.push(...listed);
    for (const { id } of listed) {
      lines.push({ id, stays: await everything(views, 'statusHistory', { kind, id }) });
      lines.push({ id, graph: (await views.ask('graph', { kind, id, depth: 1, limit: 1000 })).value });
    }
  }
  for (const correlationId of correlationIds) {
    lines.push({ correlationId, touches: await everything(views, 'operation', { correlationId }) });
  }
  lines.push((await views.ask('counts', {})).value);
  lines.push(await everything(views, 'waiting', {}));
  lines.push(await everything(views, 'deadlines', {}));
  lines.push((await views.ask('rates', { from: '2000-01-01T00:00', to: '2100-01-01T00:00' })).value);
  return lines.map((line) => JSON.stringify(line));
}

/** Where two contents begin to differ; null where they do not. Says it in a few lines, however long they are. */
export function firstDifference(a: readonly string[], b: readonly string[]): { one?: string; other?: string } | null {
  const index = a.findIndex((line, at) => line !== b[at]);
  if (index < 0) return a.length === b.length ? null : { other: b[a.length]! };
  const { length } = a[index]!;
  const from = Math.max([...a[index]!].findIndex((letter, at) => letter !== b[index]?.[at]) - 150, 0);
  return {
    one: a[index]!.slice(from, from + 400) || String(length),
    other: b[index]?.slice(from, from + 400) ?? 'missing',
  };
}

/** A model start that remembers the connections it made, so that a test can end one as a crash would. */
export function mortal(start: StartModel) {
  const connections: ReturnType<StartModel>[] = [];
  const remembering: StartModel = (options, listener) => {
    const connection = start(options, listener);
    connections.push(connection);
    return connection;
  };
  return { start: remembering, killLatest: () => connections.at(-1)!.terminate(), starts: () => connections.length };
}
