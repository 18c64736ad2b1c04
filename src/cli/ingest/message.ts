/** A message on its way into the ledger. */
export interface Message {
  /** JSON as text, or what was parsed of it. */
  readonly content: unknown;
  /** Where it was found, such as `notifications.ndjson:17`. */
  readonly place: string;
  /** Called once the ledger has it, or will never have it. */
  settle?(fate: Fate): void;
}

export type Fate = 'taken' | 'rejected';
