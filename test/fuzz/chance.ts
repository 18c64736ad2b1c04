import { Random } from '../support/random.ts';

/** What a request is made with: chance that comes again with its seed, and what there is in the ledger by now. */
export class Chance extends Random {
  /** Ids by kind, as far as answers told of them. */
  readonly #known = new Map<string, string[]>();

  happens(probability: number): boolean {
    return this.next() < probability;
  }

  uuid(): string {
    const hex = Array.from({ length: 32 }, () => this.below(16).toString(16)).join('');
    return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20)}`;
  }

  remember(kind: string, id: string): void {
    const ids = this.#known.get(kind) ?? [];
    ids.push(id);
    // Old ones are met again now and then, and the list does not grow with the campaign.
    if (ids.length > 40) ids.splice(this.below(ids.length), 1);
    this.#known.set(kind, ids);
  }

  /** Mostly something that is there; now and then something that is not. */
  idOf(kind: string): string {
    const ids = this.#known.get(kind) ?? [];
    return ids.length === 0 || this.happens(0.05) ? this.uuid() : this.oneOf(ids);
  }

  anyId(): string {
    const kinds = [...this.#known.keys()];
    return kinds.length === 0 ? this.uuid() : this.idOf(this.oneOf(kinds));
  }
}
