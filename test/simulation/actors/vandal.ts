import type { EventStore } from '../../../src/store/event-store.ts';
import { nthId } from '../../support/ledger.ts';
import type { Faults } from '../faults.ts';
import { type Scene, user } from './actor.ts';

/** The resource whose history becomes unreadable. */
export const spoiled = nthId(99);
const stream = `server-${spoiled}`;

/** Somebody with another program writes an event that no fold can take. It must harm nobody but its own resource. */
export class Vandal {
  readonly #ledger: EventStore;
  readonly #faults: Faults;
  #isDone = false;

  constructor(ledger: EventStore, faults: Faults) {
    this.#ledger = ledger;
    this.#faults = faults;
  }

  async act({ witness, give }: Scene): Promise<void> {
    const revision = witness.past(stream)?.state?.revision;
    give(user('tenant'), 'server', spoiled, revision === undefined ? 'CreateServer' : 'StopServer');
    if (revision === undefined || this.#isDone) return;
    this.#isDone = true;
    this.#faults.note('an event that no fold can take');
    const event = { id: nthId(98), type: 'BuildAttemptEnded', v: 1, time: '2026-01-01T00:00:00.000Z' };
    const request = { stream, expectedRevision: revision, events: [{ ...event, data: '{}', metadata: '{}' }] };
    await this.#ledger.append(request).catch(() => {});
  }
}
