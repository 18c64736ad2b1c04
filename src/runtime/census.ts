import { type Aggregate, isAlive, type Lifetime } from '../domain/kernel/aggregate.ts';
import type { Kind } from '../domain/kernel/resource.ts';

const nothing: readonly string[] = [];

/** How many resources count as what, as far as this process knows: what it has loaded, and what it has decided since. */
export class Census {
  readonly #aggregates: Readonly<Record<Kind, Aggregate>>;
  readonly #labels = new Map<string, readonly string[]>();
  readonly #counts = new Map<Kind, Record<string, number>>();

  constructor(aggregates: Readonly<Record<Kind, Aggregate>>) {
    this.#aggregates = aggregates;
  }

  counts(kind: Kind): Readonly<Record<string, number>> {
    return this.#countsOf(kind);
  }

  /** Counts the resource as what it is now, in place of what it was. */
  note(kind: Kind, stream: string, state: Lifetime | null): void {
    const { countsAs } = this.#aggregates[kind];
    if (!countsAs) return;
    const labels = state && isAlive(state) ? countsAs(state) : nothing;
    this.#add(kind, this.#labels.get(stream) ?? nothing, -1);
    this.#add(kind, labels, 1);
    if (labels.length > 0) this.#labels.set(stream, labels);
    else this.#labels.delete(stream);
  }

  #countsOf(kind: Kind): Record<string, number> {
    const counts = this.#counts.get(kind) ?? {};
    this.#counts.set(kind, counts);
    return counts;
  }

  #add(kind: Kind, labels: readonly string[], step: 1 | -1): void {
    const counts = this.#countsOf(kind);
    for (const label of labels) {
      const count = (counts[label] ?? 0) + step;
      if (count === 0) delete counts[label];
      else counts[label] = count;
    }
  }
}
