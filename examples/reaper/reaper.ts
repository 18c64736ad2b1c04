import type { LedgerEvent } from 'stackledger/client';
import { type Known, type Waiting, watchedTypes } from './known.ts';
import { messageOf } from './problems.ts';
import { type RescueOptions, rescue } from './rescue.ts';

export interface ReaperOptions extends RescueOptions {
  readonly known: Known;
  /** Servers that are helped at the same time. */
  readonly parallel?: number;
  /** Wait before the second try to help a server; it doubles from try to try. */
  readonly firstBackOffMs?: number;
  readonly maxBackOffMs?: number;
}

interface BackOff {
  readonly tries: number;
  readonly until: number;
}

const tickMs = 100;
const saveEveryMs = 1_000;

/** Follows the ledger, and sees to every server that waits for room. */
export class Reaper {
  readonly #options: Required<ReaperOptions>;
  readonly #known: Known;
  /** By server. */
  readonly #running = new Map<string, Promise<void>>();
  /** By wait: one that begins anew is looked at at once. */
  readonly #backOffs = new Map<string, BackOff>();

  constructor(options: ReaperOptions) {
    this.#options = { parallel: 8, firstBackOffMs: 1_000, maxBackOffMs: 60_000, ...options };
    this.#known = options.known;
  }

  /** Works until the signal aborts; then lets go of what it holds. */
  async run(signal: AbortSignal): Promise<void> {
    const ended = new AbortController();
    const stop = AbortSignal.any([signal, ended.signal]);
    let ticking: NodeJS.Timeout | undefined;
    try {
      await this.#follow(stop, () => {
        ticking ??= setInterval(() => this.#startDue(stop), tickMs);
      });
    } finally {
      clearInterval(ticking);
      ended.abort();
      await Promise.all(this.#running.values());
      await this.#known.save();
    }
  }

  /** Nothing is begun before everything recorded is known: what waited in the meantime may have been helped since. */
  async #follow(signal: AbortSignal, onCaughtUp: () => void): Promise<void> {
    const { client, log } = this.#options;
    const after = this.#known.position;
    const events = client.events({
      kind: 'server',
      type: watchedTypes,
      ...(after !== undefined && { after }),
      signal,
      onCaughtUp: (position) => {
        this.#known.readUpTo(position);
        onCaughtUp();
      },
      onDisconnect: (error, retryInMs) => log(`${messageOf(error)} Trying again in ${Math.round(retryInMs)} ms.`),
    });
    let savedAt = Date.now();
    for await (const event of events) {
      this.#known.apply(event);
      this.#wakeUp(event);
      if (Date.now() - savedAt < saveEveryMs) continue;
      await this.#known.save();
      savedAt = Date.now();
    }
  }

  /** Whoever let a claim run out has probably died. One who released it could not help, and neither can we, so soon. */
  #wakeUp({ type, data, resource }: LedgerEvent): void {
    if (type !== 'PendingClaimEnded' || data.reason !== 'expired') return;
    const waiting = this.#known.waiting().find(({ serverId }) => serverId === resource?.id);
    if (waiting) this.#backOffs.delete(waiting.pendingId);
  }

  #startDue(stop: AbortSignal): void {
    const all = this.#known.waiting();
    this.#forgetOthers(all);
    const isDue = ({ serverId, pendingId }: Waiting): boolean =>
      !this.#running.has(serverId) && (this.#backOffs.get(pendingId)?.until ?? 0) <= Date.now();
    const room = this.#options.parallel - this.#running.size;
    for (const waiting of all.filter(isDue).slice(0, room)) {
      this.#running.set(waiting.serverId, this.#help(waiting, stop));
    }
  }

  async #help(waiting: Waiting, stop: AbortSignal): Promise<void> {
    await rescue(waiting, this.#options, stop);
    this.#running.delete(waiting.serverId);
    this.#backOff(waiting);
  }

  /** Also after a success: until the ledger's word of it comes, the server seems to wait. */
  #backOff({ pendingId }: Waiting): void {
    const { firstBackOffMs, maxBackOffMs } = this.#options;
    const tries = (this.#backOffs.get(pendingId)?.tries ?? 0) + 1;
    const delayMs = Math.min(firstBackOffMs * 2 ** (tries - 1), maxBackOffMs);
    this.#backOffs.set(pendingId, { tries, until: Date.now() + delayMs * (0.5 + Math.random() / 2) });
  }

  #forgetOthers(waiting: readonly Waiting[]): void {
    const pendingIds = new Set(waiting.map(({ pendingId }) => pendingId));
    for (const pendingId of this.#backOffs.keys()) {
      if (!pendingIds.has(pendingId)) this.#backOffs.delete(pendingId);
    }
  }
}
