import type { Kind, State } from './kinds.ts';
import type { Query } from './transport.ts';

/** What a list is filtered and sorted by; of a filter with several values, any one will do. */
export interface ListFilter {
  readonly id?: string | readonly string[];
  readonly status?: string | readonly string[];
  /** A server's `taskState`, a node's `targetProvisionState`. */
  readonly subState?: string | readonly string[];
  readonly name?: string | readonly string[];
  readonly project?: string | readonly string[];
  readonly host?: string | readonly string[];
  readonly network?: string | readonly string[];
  readonly device?: string | readonly string[];
  /** Only what waits for this: `L2`, `network-vif-plugged`, `capacity`, ... */
  readonly blockedBy?: string | readonly string[];
  /** Only what names this resource or host, such as `host/compute-17`. */
  readonly dependsOn?: string;
  /** Only what changed at this time or later. */
  readonly since?: string;
  /** Only what is in its status since this time or longer. */
  readonly statusBefore?: string;
  readonly deleted?: 'exclude' | 'include' | 'only';
  /** Such as `status_since:desc`; `created_at` unless said otherwise. */
  readonly sort?: string;
  /** 100 unless said otherwise, 1000 at most. */
  readonly limit?: number;
  /** `next` of the page before. */
  readonly marker?: string;
}

export type Listed<K extends Kind = Kind> = State<K> & { readonly statusSince: string };

export interface ListPage<K extends Kind = Kind> {
  readonly items: readonly Listed<K>[];
  /** The `marker` of the following page; null where this is the last one. */
  readonly next: string | null;
}

/** The filter as the URL has it: the names in snake case. */
export const listParameters = (filter: ListFilter): Query =>
  Object.fromEntries(
    Object.entries(filter).map(([name, value]) => [name.replaceAll(/[A-Z]/g, (c) => `_${c.toLowerCase()}`), value]),
  ) as Query;
