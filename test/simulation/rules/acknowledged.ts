import { aggregates } from '../../../src/domain/aggregates.ts';
import { type Lifetime, viewOf } from '../../../src/domain/kernel/aggregate.ts';
import { streamOf } from '../../../src/domain/kernel/resource.ts';
import type { Done, Outcome, Refused } from '../../../src/runtime/command.ts';
import type { Errand } from '../clients.ts';
import { foldStored } from '../fold-stored.ts';
import { Violation } from '../violation.ts';
import type { Past, Witness } from '../witness.ts';

/** What callers were told, held against what the ledger holds at that very moment. */
export class Acknowledgements {
  readonly #witness: Witness;
  readonly #highest = new Map<string, number>();
  readonly #onViolation: (violation: unknown) => void;

  constructor(witness: Witness, onViolation: (violation: unknown) => void) {
    this.#witness = witness;
    this.#onViolation = onViolation;
  }

  /** The highest revision that anybody was told of. */
  highest(stream: string): number {
    return this.#highest.get(stream) ?? -1;
  }

  /** @param known what had been answered before the command was sent this time */
  take(errand: Errand, outcome: Outcome, known: Outcome | null): void {
    try {
      this.#witness.look();
      if (outcome.outcome === 'done') this.#done(errand, outcome);
      else this.#refused(errand, outcome, known);
    } catch (violation) {
      this.#onViolation(violation);
    }
  }

  #done(errand: Errand, done: Done): void {
    const { request, floor, answer } = errand;
    const stream = streamOf(request.resource);
    const told = `${request.type} (${request.key}) on ${stream}`;
    const past = this.#witness.past(stream);
    const fail = (detail: string): never => {
      throw new Violation('acknowledged-once', `${told} ${detail}`);
    };
    if (!past || past.events.length <= done.revision)
      throw new Violation('acknowledged-once', `${told} was acknowledged and is not in the ledger`);
    for (const { id, revision } of done.events) {
      const stored = past.events[revision];
      if (stored?.id !== id) fail(`was acknowledged with ${id} at ${revision}, where ${stored?.id} is`);
      if (stored?.metadata.requestId !== request.key) fail(`was acknowledged with an event of somebody else`);
      if (revision <= floor) fail(`came before ${floor}, which was acknowledged before it was sent`);
    }
    const own = past.events.filter(({ metadata }) => metadata.requestId === request.key);
    if (own.length !== done.events.length)
      fail(`was acknowledged with ${done.events.length} events and has ${own.length}`);
    if (answer?.outcome === 'done' && !isSame(answer, done))
      fail(`was answered ${brief(answer)}, and then ${brief(done)}`);
    if (done.stateText !== stateTextAt(past, done.revision))
      throw new Violation('state-is-fold', `${told} was answered with a state that is not the fold of its stream`);
    this.#highest.set(stream, Math.max(this.highest(stream), done.revision));
  }

  /**
   * A refusal has changed nothing; that the command came may be recorded. Where it is sent to two processes at once, one may
   * refuse it before the other carries it out.
   */
  #refused({ request, answer, sentTo }: Errand, { refusal }: Refused, known: Outcome | null): void {
    const stream = streamOf(request.resource);
    if (known?.outcome === 'done')
      throw new Violation('acknowledged-once', `${request.key} was done, and then refused: ${refusal.message}`);
    if (answer?.outcome === 'done' || sentTo.size > 0) return;
    const events = this.#witness.past(stream)?.events ?? [];
    const own = events.filter(({ metadata }) => metadata.requestId === request.key);
    const recorded: readonly string[] = ['NodeReportIgnored', 'ReportIgnored'];
    if (own.some(({ type }) => !recorded.includes(type)))
      throw new Violation('acknowledged-once', `${request.key} was refused and has changed ${stream}`);
  }
}

const brief = ({ revision, eventsText }: Done): string => `at revision ${revision} with ${eventsText}`;

const isSame = (a: Done, b: Done): boolean => a.eventsText === b.eventsText && a.revision === b.revision;

/** The state as people saw it at a revision, folded from the start. */
export function stateTextAt({ resource: { kind, id }, events, state: latest }: Past, revision: number): string {
  const aggregate = aggregates[kind];
  if (latest?.revision === revision) return JSON.stringify(viewOf(aggregate, latest));
  let state: Lifetime | null = null;
  for (const event of events.slice(0, revision + 1)) state = foldStored(aggregate, id, state, event);
  return JSON.stringify(viewOf(aggregate, state!));
}
