import { Violation } from './violation.ts';

/** What a world that goes on may do in one step; the busiest does a tenth of it. */
const most = 3000;

/** Counts what the processes do in one step of the world: one that never comes to rest must fail, not hang. */
export class Exertion {
  #spent = 0;

  renew(): void {
    this.#spent = 0;
  }

  /** One command settled, or one request to the store. @throws Violation where there is no end of them */
  spend(): void {
    this.#spent += 1;
    if (this.#spent > most)
      throw new Violation('comes-to-rest', `one step led to more than ${most} commands and requests to the store`);
  }
}
