import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { Random } from '../support/random.ts';
import { audit } from './audit.ts';
import { Customer } from './customers.ts';
import { Victim } from './victim.ts';

export interface CrashOptions {
  readonly kills: number;
  readonly seed: number;
  /** Lives of one ledger before a new one is begun, so that audits stay short. */
  readonly killsALedger: number;
  readonly onKill?: (kill: number, moment: string) => void;
}

export interface CrashReport {
  readonly kills: Readonly<Record<string, number>>;
  readonly acknowledged: number;
  readonly events: number;
  readonly faults: readonly string[];
}

const customersOf = { port: 24, node: 4, network: 4 };
/** Each resource has two customers, so that commands on one stream come from both sides. */
const sharing = 2;

/** How long a server may take to be of service again, models and all. */
const patienceMs = 60_000;

/** When the axe falls. Each entry brings the server to its moment; it is killed right after. */
const moments: Readonly<Record<string, (life: Life) => Promise<void>>> = {
  'under load': async ({ victim, random, work }) => {
    const url = await victim.url;
    if (!url) throw new Error(`the server did not start: ${victim.complaints}`);
    work(url);
    await pause(random.below(1_200));
  },
  'in start-up': async ({ random }) => {
    await pause(random.below(700));
  },
  'in shutdown': async ({ victim, random, work }) => {
    const url = await victim.url;
    if (url) work(url);
    await pause(random.below(300));
    victim.terminate();
    await pause(random.below(60));
  },
  'in a rebuild of the read models': async ({ victim, random, work }) => {
    const url = await victim.url;
    if (url) work(url);
    await pause(random.below(800));
  },
};

interface Life {
  readonly victim: Victim;
  readonly random: Random;
  /** Lets the customers loose on the server. */
  readonly work: (url: string) => void;
}

/** Kills a server again and again, and holds the ledger against what its customers were told. */
export async function crash({ kills, seed, killsALedger, onKill }: CrashOptions): Promise<CrashReport> {
  const random = new Random(seed);
  const count: Record<string, number> = {};
  const faults: string[] = [];
  let acknowledged = 0;
  let events = 0;
  for (let done = 0; done < kills && faults.length === 0; ) {
    const site = new Site(random);
    try {
      for (const end = Math.min(kills, done + killsALedger); done < end; done++) {
        const moment = random.oneOf(Object.keys(moments));
        await site.liveUntil(moment);
        count[moment] = (count[moment] ?? 0) + 1;
        onKill?.(done + 1, moment);
      }
      const found = await site.close();
      acknowledged += found.acknowledged;
      events += found.events;
      faults.push(...found.faults);
    } finally {
      site.remove();
    }
  }
  return { kills: count, acknowledged, events, faults };
}

/** One ledger, its customers, and one server after the other. */
class Site {
  readonly #folder = mkdtempSync(join(tmpdir(), 'stackledger-soak-'));
  readonly #ledger = join(this.#folder, 'ledger.db');
  readonly #random: Random;
  readonly #customers: readonly Customer[];

  constructor(random: Random) {
    this.#random = random;
    this.#customers = Object.entries(customersOf).flatMap(([kind, number]) =>
      Array.from({ length: number / sharing }, () => randomUUID()).flatMap((id) =>
        Array.from({ length: sharing }, () => new Customer(kind, id, random)),
      ),
    );
  }

  async liveUntil(moment: string): Promise<void> {
    if (moment === 'in a rebuild of the read models') this.#forgetReadModels();
    const victim = this.#start();
    const stop = new AbortController();
    let working: Promise<unknown> = Promise.resolve();
    const work = (url: string): void => {
      working = Promise.all(this.#customers.map((customer) => customer.work(url, stop.signal)));
    };
    try {
      await moments[moment]!({ victim, random: this.#random, work });
    } finally {
      await victim.kill();
      stop.abort();
      await working;
    }
  }

  /** The last life: what was not answered is asked again; then the server is stopped in order and the books compared. */
  async close() {
    const victim = this.#start();
    const patience = AbortSignal.timeout(patienceMs);
    const url = await victim.url;
    if (!url) return { acknowledged: 0, events: 0, faults: [`the server did not start: ${victim.complaints}`] };
    await Promise.all(this.#customers.map((customer) => customer.settle(url, patience)));
    const faults = await this.#serviceFaults(url, patience);
    victim.terminate();
    await victim.ended();
    const found = await audit(`sqlite:${this.#ledger}`, this.#customers);
    return { ...found, faults: [...faults, ...found.faults] };
  }

  remove(): void {
    rmSync(this.#folder, { recursive: true, force: true });
  }

  /** Whether the server is of service again: everything answered, the read models where the ledger is. */
  async #serviceFaults(url: string, patience: AbortSignal): Promise<string[]> {
    const unanswered = this.#customers.filter((customer) => customer.unanswered !== null);
    if (unanswered.length > 0) return [`${unanswered.length} commands were never answered`];
    for (;;) {
      const ready = await fetch(`${url}/readyz`);
      if (ready.ok) return [];
      if (patience.aborted) return [`the server did not become ready: ${await ready.text()}`];
      await pause(50);
    }
  }

  #start(): Victim {
    // Few events between snapshots, so that many kills fall into one.
    return new Victim(['--store', `sqlite:${this.#ledger}`, '--snapshot-every', '3']);
  }

  #forgetReadModels(): void {
    for (const end of ['', '-wal', '-shm']) rmSync(`${this.#ledger}.views.db${end}`, { force: true });
  }
}
