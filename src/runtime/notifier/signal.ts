/** Word that something has changed; whoever waits looks for himself whether it is what he waits for. */
export class Signal {
  #waiting: (() => void)[] = [];

  wait(): Promise<void> {
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  fire(): void {
    for (const wake of this.#waiting.splice(0)) wake();
  }
}
