import type { Facts } from '../kernel/aggregate.ts';

export interface ServerSettings {
  /** A server for which no host has room becomes PENDING instead of ERROR, and somebody may make room. */
  readonly usePendingState: boolean;
  /** A PENDING server for which nobody made room by then becomes ERROR. 0: it waits for ever. */
  readonly pendingTimeoutMs: number;
  /** How long a claim on a PENDING server lasts unless it is renewed. */
  readonly pendingClaimMs: number;
  /** Hosts tried for one build. */
  readonly maxAttempts: number;
  /** How long a boot waits for its ports to be plugged. 0: it does not wait. */
  readonly vifPluggingTimeoutMs: number;
  /** Whether a boot whose ports were not plugged in time, or whose plugging failed, is given up. */
  readonly vifPluggingIsFatal: boolean;
  /** A build that takes longer becomes ERROR. 0: it may take for ever. */
  readonly buildTimeoutMs: number;
}

/** Nova's defaults; those of PENDING are the ledger's own. */
const defaultServerSettings: ServerSettings = {
  usePendingState: false,
  pendingTimeoutMs: 3_600_000,
  pendingClaimMs: 300_000,
  maxAttempts: 3,
  vifPluggingTimeoutMs: 300_000,
  vifPluggingIsFatal: true,
  buildTimeoutMs: 0,
};

export interface ServerFacts extends Facts {
  /** What is left out is as by default. */
  readonly settings?: Partial<ServerSettings>;
}

export const settingsOf = ({ settings }: ServerFacts): ServerSettings => ({ ...defaultServerSettings, ...settings });

/** The moment `milliseconds` after the decision, or null for never. */
export const deadlineAfter = (milliseconds: number, { time }: ServerFacts): string | null =>
  milliseconds > 0 ? new Date(Date.parse(time) + milliseconds).toISOString() : null;
