import type { HistoryEntry, Kind, State } from '../../src/client/index.ts';

const readers: { readonly [K in Kind]: (state: State<K>) => string } = {
  port: ({ status }) => status,
  server: (state) => (state as State<'server'> & { readonly status: string }).status,
  node: ({ provisionState }) => provisionState,
  agent: ({ alive }) => (alive ? 'alive' : 'lost'),
  network: () => 'ACTIVE',
};

/** The word people know the resource's condition by. */
export const statusOf = (kind: Kind, state: State): string => (readers[kind] as (state: State) => string)(state);

/** Since when the status is what it is, as far as the events that are shown tell. */
export const statusSince = (entries: readonly HistoryEntry[]): string | null =>
  entries.findLast(({ statusChange }) => statusChange !== null)?.time ?? null;

export const nameOf = (kind: Kind, state: State): string => {
  if (kind === 'agent') return (state as State<'agent'>).type;
  return (state as State<'port'>).name ?? '';
};
