interface Waiter {
  readonly position: number;
  readonly resolve: (reached: boolean) => void;
}

/** Those who wait until a model has reached a position. */
export class Waiters {
  readonly #waiting = new Set<Waiter>();

  /** Settles with true at the position, with false when `until` settles before. */
  async wait(position: number, until: Promise<unknown>): Promise<boolean> {
    let waiter: Waiter | undefined;
    const reached = new Promise<boolean>((resolve) => {
      waiter = { position, resolve };
      this.#waiting.add(waiter);
    });
    const over = until.then(
      () => false,
      () => false,
    );
    try {
      return await Promise.race([reached, over]);
    } finally {
      this.#waiting.delete(waiter!);
    }
  }

  advance(position: number): void {
    for (const waiter of this.#waiting) if (waiter.position <= position) waiter.resolve(true);
  }

  close(): void {
    for (const waiter of this.#waiting) waiter.resolve(false);
  }
}
