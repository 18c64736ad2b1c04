/**
 * Remembers which ids came by, in eight bytes each rather than a hundred. In return it may, very rarely, take two ids
 * for one: a repeat is a suspicion, to be settled by a second look at the few ids in question.
 */
export class SeenIds {
  #capacity = 1 << 16;
  #slots = new Uint32Array(this.#capacity * 2);
  #size = 0;

  /** Whether the id was, as it seems, here before. */
  add(id: string): boolean {
    if (this.#size * 3 > this.#capacity * 2) this.#grow();
    const [high, low] = fingerprint(id);
    const slot = this.#slotOf(high, low);
    if (this.#slots[slot] !== 0 || this.#slots[slot + 1] !== 0) return true;
    this.#slots[slot] = high;
    this.#slots[slot + 1] = low;
    this.#size++;
    return false;
  }

  /** The slot that holds the fingerprint, or the empty one where it belongs. */
  #slotOf(high: number, low: number): number {
    let index = (high ^ low) & (this.#capacity - 1);
    for (;;) {
      const slot = index * 2;
      const [a, b] = [this.#slots[slot]!, this.#slots[slot + 1]!];
      if ((a === high && b === low) || (a === 0 && b === 0)) return slot;
      index = (index + 1) & (this.#capacity - 1);
    }
  }

  #grow(): void {
    const old = this.#slots;
    this.#capacity *= 2;
    this.#slots = new Uint32Array(this.#capacity * 2);
    for (let slot = 0; slot < old.length; slot += 2) {
      const [high, low] = [old[slot]!, old[slot + 1]!];
      if (high === 0 && low === 0) continue;
      const free = this.#slotOf(high, low);
      this.#slots[free] = high;
      this.#slots[free + 1] = low;
    }
  }
}

/** Two independent 32-bit hashes (FNV-1a from two starts, mixed at the end), never both zero: that marks an empty slot. */
function fingerprint(id: string): [number, number] {
  let high = 0x811c9dc5;
  let low = 0x01000193;
  for (let index = 0; index < id.length; index++) {
    const code = id.charCodeAt(index);
    high = Math.imul(high ^ code, 0x01000193);
    low = Math.imul(low ^ code, 0x85ebca6b);
  }
  return [mix(high), mix(low) || 1];
}

function mix(hash: number): number {
  const once = Math.imul(hash ^ (hash >>> 16), 0x7feb352d);
  const twice = Math.imul(once ^ (once >>> 15), 0x846ca68b);
  return (twice ^ (twice >>> 16)) >>> 0;
}
