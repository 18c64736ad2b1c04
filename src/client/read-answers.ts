import type { LedgerEvent, ResourceRef } from './answers.ts';
import type { Kind } from './kinds.ts';

/** A resource in one line. */
export interface ResourceSummary extends ResourceRef {
  readonly name: string | null;
  readonly status: string;
  readonly statusSince: string;
}

/** Something a resource waits for. */
export interface Waiting {
  readonly resource: ResourceSummary;
  readonly wait: {
    /** A port's entity, a server's external event, `capacity`, `worker`, `call-back`, or `reservation`. */
    readonly what: string;
    /** The resource it is about, where there is one. */
    readonly on: ResourceRef | null;
    /** Where the awaited work is done. */
    readonly host: string | null;
    /** Who has the resource, or is to act. */
    readonly holder: string | null;
    readonly since: string;
    readonly deadline: string | null;
  };
}

export interface BlockedFilter {
  readonly kind?: Kind;
  readonly what?: string;
  readonly host?: string;
  readonly holder?: string;
  /** Only who has waited since this time or longer. */
  readonly before?: string;
  readonly limit?: number;
  readonly marker?: string;
}

export interface BlockedPage {
  /** Longest first. */
  readonly items: readonly Waiting[];
  readonly next: string | null;
}

export interface OverviewOptions {
  /** At most so many of each list; 20 unless said otherwise. */
  readonly limit?: number;
  /** How far rates and flapping look back from the newest event; 60 unless said otherwise. */
  readonly minutes?: number;
}

/** What is wrong now, at a glance. */
export interface Overview {
  /** Time of the newest event; null where there is none. */
  readonly at: string | null;
  readonly counts: readonly { readonly kind: Kind; readonly status: string; readonly count: number }[];
  readonly blocked: {
    readonly total: number;
    readonly oldest: readonly (Waiting & { readonly reason: string | null })[];
  };
  /** What failed and still is so, newest first. */
  readonly failures: readonly { readonly resource: ResourceSummary; readonly reason: string | null }[];
  /** Events, and the commands that led to them, by minute (such as `2026-01-31T12:05`) and kind. */
  readonly rates: readonly {
    readonly minute: string;
    readonly kind: Kind;
    readonly events: number;
    readonly commands: number;
  }[];
  /** Resources that keep changing their status, the restless first. */
  readonly flapping: readonly {
    readonly resource: ResourceSummary;
    readonly changes: number;
    readonly firstAt: string;
    readonly lastAt: string;
  }[];
  /** Resources whose events the read models cannot process. */
  readonly parked: {
    readonly total: number;
    readonly first: readonly {
      readonly resource: ResourceRef;
      readonly revision: number;
      readonly eventType: string;
      readonly error: string;
    }[];
  };
}

/** Where a line of a graph begins or ends; a host is no resource of its own, but things meet on it. */
export interface VertexRef {
  readonly kind: Kind | 'host';
  readonly id: string;
}

export interface Graph {
  readonly vertices: readonly (VertexRef & {
    /** Null where nothing was ever recorded of it, and for hosts. */
    readonly resource: ResourceSummary | null;
    readonly deleted: boolean;
    /** Steps from the resource that was asked about. */
    readonly distance: number;
  })[];
  /** `from` depends on `to`. */
  readonly edges: readonly { readonly from: VertexRef; readonly to: VertexRef; readonly relation: string }[];
  /** Whether the limit cut it short. */
  readonly truncated: boolean;
}

export interface TimelineOptions {
  /** Only intervals that reach to this time or beyond. */
  readonly from?: string;
  /** Only intervals that began by this time. */
  readonly to?: string;
  readonly limit?: number;
  readonly marker?: string;
  readonly minPosition?: string;
  readonly signal?: AbortSignal;
}

/** An interval in which neither status, sub-state nor host of a resource changed. */
export interface Stay {
  readonly since: string;
  /** Null where it lasts. */
  readonly until: string | null;
  readonly status: string;
  /** When the status began, whatever changed beside it. */
  readonly statusSince: string;
  readonly subState: string | null;
  readonly subStateSince: string;
  readonly host: string | null;
  /** The status before; null where a life began. */
  readonly previousStatus: string | null;
}

export interface TimelinePage {
  readonly items: readonly Stay[];
  readonly next: string | null;
}

export interface SearchPage {
  /** Those that are what was looked for come first. */
  readonly items: readonly (ResourceSummary & { readonly deletedAt: string | null })[];
}

export interface OperationPage {
  readonly correlationId: string;
  /** In the order of the ledger. */
  readonly events: readonly LedgerEvent[];
  readonly next: string | null;
}
