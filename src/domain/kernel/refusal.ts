import type { DomainEvent } from './events.ts';

/**
 * Why the rules refuse a command. A refusal is a value of the domain: it says what was wrong, what would be accepted
 * now, and what to do next. Which HTTP status that becomes is decided in `api`, by category.
 */
export type RefusalCategory =
  | 'invalid' // the command contradicts itself or names something that cannot be
  | 'not-found' // no such resource
  | 'gone' // it existed and was deleted; its history stays readable
  | 'conflict' // the rules refuse it in this state
  | 'stale' // the caller's If-Match names another revision
  | 'key-reused' // the Idempotency-Key was seen before with another body
  | 'forbidden' // the caller may not do this to this resource
  | 'unavailable'; // accepted later, when the thing that is missing is there again

export interface RefusalDefinition {
  readonly category: RefusalCategory;
  /** The short sentence that stays the same for every occurrence. */
  readonly title: string;
  /** For the page at `/problems/<slug>`: when it happens and what the caller can do. Plain text, a few sentences. */
  readonly explanation: string;
}

export type RefusalCatalogue = Readonly<Record<string, RefusalDefinition>>;

/** What helps the caller act, beside the sentence. All of it is sent as it stands. */
export interface RefusalHelp {
  /** Commands or verbs that would be accepted now. */
  readonly allowed?: readonly string[];
  /** Whether the same command can succeed later without anybody changing the resource on purpose. */
  readonly retryable?: boolean;
  readonly [key: string]: unknown;
}

/** Thrown by decisions through {@link refuser}; the runtime turns it into a value at its border. */
export class Refusal extends Error {
  override readonly name = 'Refusal';
  readonly slug: string;
  readonly definition: RefusalDefinition;
  readonly help: RefusalHelp;
  /** What is recorded all the same: that somebody said this, where that is news. It changes nothing that rules look at. */
  readonly recorded: readonly DomainEvent[];

  constructor(
    slug: string,
    definition: RefusalDefinition,
    detail: string,
    help: RefusalHelp = {},
    recorded: readonly DomainEvent[] = [],
  ) {
    super(detail);
    this.slug = slug;
    this.definition = definition;
    this.help = help;
    this.recorded = recorded;
  }
}

/** A `refuse` that knows the slugs of one catalogue. */
export const refuser =
  <C extends RefusalCatalogue>(catalogue: C) =>
  (slug: keyof C & string, detail: string, help?: RefusalHelp, recorded?: readonly DomainEvent[]): never => {
    throw new Refusal(slug, catalogue[slug]!, detail, help, recorded);
  };
