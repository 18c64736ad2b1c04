import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { Random } from '../support/random.ts';

/** What one command was told, in the customer's own books. */
export interface Receipt {
  readonly stream: string;
  readonly key: string;
  readonly status: number;
  readonly revision: number;
  readonly events: readonly { readonly id: string; readonly revision: number }[];
}

type Command = readonly [type: string, data: object];

/** What customers of each kind do all day. The first opens the resource's life. */
const trades: Readonly<Record<string, { open: Command; daily: readonly ((n: number) => Command)[] }>> = {
  port: {
    open: ['CreatePort', { host: 'compute-1' }],
    daily: [
      (n) => ['UpdatePort', { name: `name ${n}` }],
      (n) => ['AddProvisioningComponent', { entity: `entity ${n % 3}` }],
      (n) => ['ProvisioningComplete', { entity: `entity ${n % 3}` }],
    ],
  },
  node: {
    open: ['EnrollNode', { driver: 'ipmi' }],
    daily: [
      (n) => ['UpdateNode', { name: `node-${n}` }],
      () => ['SetMaintenance', { reason: 'a disk makes noises' }],
      () => ['ClearMaintenance', {}],
      () => ['SetProvisionState', { verb: 'manage' }],
    ],
  },
  network: {
    open: ['CreateNetwork', { name: 'net' }],
    daily: [(n) => ['AddSubnet', { id: randomUUID(), cidr: `10.${n % 250}.0.0/24`, enableDhcp: n % 2 === 0 }]],
  },
};

/**
 * Somebody who gives commands to one resource, one after the other, each with a key, and repeats what was not answered
 * until it is.
 */
export class Customer {
  readonly kind: string;
  readonly id: string;
  readonly answered: Receipt[] = [];
  readonly #random: Random;
  #open: { key: string; body: string } | null = null;
  #given = 0;

  constructor(kind: string, id: string, random: Random) {
    this.kind = kind;
    this.id = id;
    this.#random = random;
  }

  get stream(): string {
    return `${this.kind}-${this.id}`;
  }

  /** The command whose answer never came, where there is one. */
  get unanswered(): string | null {
    return this.#open?.key ?? null;
  }

  /** Works until it is told to stop, or the server is gone. */
  async work(url: string, signal: AbortSignal): Promise<void> {
    while (!signal.aborted) if (!(await this.#give(url, signal))) return;
  }

  /** Repeats what was not answered, until it is. */
  async settle(url: string, signal: AbortSignal): Promise<void> {
    while (this.#open && !signal.aborted) await this.#give(url, signal);
  }

  /** False where there was no answer. */
  async #give(url: string, signal: AbortSignal): Promise<boolean> {
    this.#open ??= this.#next();
    const { key, body } = this.#open;
    const answer = await post(`${url}/v1/${this.kind}s/${this.id}/commands`, key, body, signal);
    if (!answer) return false;
    if (answer.status === 429 || answer.status === 503) {
      await pause(20);
      return true;
    }
    this.answered.push({ stream: this.stream, key, ...answer });
    this.#open = null;
    return true;
  }

  #next(): { key: string; body: string } {
    const n = this.#given++;
    const { open, daily } = trades[this.kind]!;
    const [type, data] = n === 0 ? open : this.#random.oneOf(daily)(n);
    return { key: `${this.stream} ${randomUUID()}`, body: JSON.stringify({ type, data }) };
  }
}

async function post(url: string, key: string, body: string, signal: AbortSignal) {
  try {
    const headers = { 'content-type': 'application/json', 'idempotency-key': key };
    const response = await fetch(url, { method: 'POST', headers, body, signal });
    const answer = (await response.json()) as Partial<Pick<Receipt, 'revision' | 'events'>>;
    if (response.status >= 500 && response.status !== 503) {
      throw new Unexpected(`${body} was answered ${response.status}: ${JSON.stringify(answer)}`);
    }
    return { status: response.status, revision: answer.revision ?? -1, events: answer.events ?? [] };
  } catch (error) {
    if (error instanceof Unexpected) throw error;
    return null; // Killed in the middle: whether it was carried out is what the retry must find out.
  }
}

/** An answer that a crash does not excuse. */
class Unexpected extends Error {
  override readonly name = 'Unexpected';
}
