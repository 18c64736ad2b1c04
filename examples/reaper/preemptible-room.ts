import { setTimeout as sleep } from 'node:timers/promises';
import type { Client, State, StateAnswer } from 'stackledger/client';
import { isPreemptible, type Known, type Waiting } from './known.ts';
import { isGone, isRefused } from './problems.ts';
import type { Room, RoomMaker } from './room.ts';

export interface PreemptibleRoomOptions {
  readonly client: Client;
  readonly known: Known;
  /** How long a victim may take to be gone before the server has to wait for another turn. */
  readonly patienceMs?: number;
  readonly pollMs?: number;
}

/** Makes room by deleting preemptible servers (metadata `preemptible: "true"`): one for each server that waits. */
export class PreemptibleRoom implements RoomMaker {
  readonly #client: Client;
  readonly #known: Known;
  readonly #patienceMs: number;
  readonly #pollMs: number;

  constructor({ client, known, patienceMs = 60_000, pollMs = 500 }: PreemptibleRoomOptions) {
    this.#client = client;
    this.#known = known;
    this.#patienceMs = patienceMs;
    this.#pollMs = pollMs;
  }

  async makeRoom(server: State<'server'>, waiting: Waiting, signal: AbortSignal): Promise<Room> {
    if (isPreemptible(server.metadata)) return { verdict: 'never', why: 'nobody makes room for a preemptible server' };
    const victimId = await this.#victimOf(waiting, signal);
    if (victimId === null) return { verdict: 'not-now', why: 'there is no preemptible server to delete' };
    if (await this.#isGoneInTime(victimId, signal)) return { verdict: 'made' };
    return { verdict: 'not-now', why: `${victimId} is not gone yet` };
  }

  /** One that an earlier try has sent away counts, unless its deletion failed. */
  async #victimOf(waiting: Waiting, signal: AbortSignal): Promise<string | null> {
    const victimId = this.#known.current(waiting)?.victimId ?? null;
    if (victimId === null) return this.#deleteOldest(waiting, signal);
    const victim = await this.#look(victimId, signal);
    return victim === null || isLeaving(victim.state) ? victimId : this.#deleteOldest(waiting, signal);
  }

  async #deleteOldest(waiting: Waiting, signal: AbortSignal): Promise<string | null> {
    for (const id of this.#known.preemptibleIds()) {
      const victim = await this.#look(id, signal);
      if (victim && makesRoom(victim.state) && (await this.#delete(victim, id, waiting, signal))) return id;
    }
    return null;
  }

  /** Of those who saw the same revision one is accepted, so no two waiting servers count on the same victim. */
  async #delete(
    { revision }: StateAnswer<'server'>,
    id: string,
    { pendingId }: Waiting,
    signal: AbortSignal,
  ): Promise<boolean> {
    const idempotencyKey = `${pendingId}/DeleteServer/${revision}`;
    try {
      await this.#client
        .server(id)
        .execute(
          { type: 'DeleteServer', data: {} },
          { idempotencyKey, ifMatch: revision, correlationId: pendingId, signal },
        );
      return true;
    } catch (error) {
      if (isRefused(error)) return false;
      throw error;
    }
  }

  async #isGoneInTime(id: string, signal: AbortSignal): Promise<boolean> {
    for (const end = Date.now() + this.#patienceMs; Date.now() < end; ) {
      if ((await this.#look(id, signal)) === null) return true;
      await sleep(this.#pollMs, undefined, { signal });
    }
    return false;
  }

  async #look(id: string, signal: AbortSignal): Promise<StateAnswer<'server'> | null> {
    try {
      return await this.#client.server(id).state({ signal });
    } catch (error) {
      if (isGone(error)) return null;
      throw error;
    }
  }
}

const isLeaving = ({ operation }: State<'server'>): boolean =>
  ['DeleteServer', 'ForceDeleteServer'].includes(operation?.action ?? '');

/** Only a server on a host has something to give, and once. Its metadata may have changed a moment ago. */
const makesRoom = (server: State<'server'>): boolean =>
  server.host !== null && !isLeaving(server) && isPreemptible(server.metadata);
