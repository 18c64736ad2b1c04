/**
 * Decisions on one stream are made one after the other, in the order in which their commands came: a command that must
 * load something first is not overtaken by the next one. Whoever has decided makes room at once; nobody waits for a disk.
 */
export class Turns {
  readonly #last = new Map<string, Promise<void>>();

  /** Whether somebody decides on this stream now. */
  isTaken(stream: string): boolean {
    return this.#last.has(stream);
  }

  /** Runs `work` when all that came before it on this stream have ended. */
  async take<T>(stream: string, work: () => Promise<T>): Promise<T> {
    const previous = this.#last.get(stream);
    let end!: () => void;
    const turn = new Promise<void>((resolve) => {
      end = resolve;
    });
    this.#last.set(stream, turn);
    try {
      if (previous) await previous;
      return await work();
    } finally {
      if (this.#last.get(stream) === turn) this.#last.delete(stream);
      end();
    }
  }
}
