import type { Lifetime } from '../../domain/kernel/aggregate.ts';
import type { VertexRef, Wait } from '../queries.ts';

/** What lists filter and sort by, beside what every resource has. */
export interface Columns {
  readonly name: string | null;
  readonly project: string | null;
  readonly network: string | null;
  readonly device: string | null;
}

/** Something the resource depends on. */
export interface Link {
  readonly relation: string;
  readonly to: VertexRef;
}

/** Where the read models find things in the states of one kind. */
export interface KindTable<S extends Lifetime> {
  readonly columns: (state: S) => Columns;
  /** What refines the status: its intervals are kept like those of the status. */
  readonly subState: (state: S) => string | null;
  readonly host: (state: S) => string | null;
  readonly waits: (state: S) => readonly Wait[];
  readonly links: (state: S) => readonly Link[];
  /** MAC and IP addresses that people look for it by. */
  readonly addresses?: (state: S) => readonly string[];
}
