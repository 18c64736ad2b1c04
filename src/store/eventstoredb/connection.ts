import { EventStoreDBClient } from '@eventstore/db-client';
import { withoutPassword } from '../../without-password.ts';
import { StoreError } from '../store-error.ts';
import { isSilence, poisonsClient, untilAnswered, within } from './attempts.ts';
import { connectionStringOf } from './connection-string.ts';
import type { ClientInside } from './protocol.ts';

/** How long things may take. */
export interface Limits {
  /** One call; the server itself gives a write 2 s. */
  readonly callMs: number;
  /** All attempts of one operation together. */
  readonly patienceMs: number;
  /** The holder of a lease may say nothing for so long before another takes its work over. */
  readonly leaseMs: number;
}

const defaultLimits: Limits = { callMs: 3000, patienceMs: 30_000, leaseMs: 10_000 };

/** What is left of a client that was replaced may end by itself for so long. */
const graceMs = 15_000;

/**
 * The one client of a store, replaced when it cannot go on. Calls have time limits of their own, since the client's reads
 * have none and its appends hang on a node that is silent.
 */
export class Connection {
  readonly limits: Limits;
  readonly #closed = new AbortController();
  readonly #connectionString: string;
  readonly #address: string;
  #client: EventStoreDBClient;
  /** Attempts under way: a connection that is closed under one of them would end the process. */
  #attempts = 0;
  #onIdle: () => void = () => {};
  #onReplaced: (error: unknown) => void = () => {};

  constructor(url: string, limits: Partial<Limits> = {}) {
    this.limits = { ...defaultLimits, ...limits };
    this.#connectionString = connectionStringOf(url);
    this.#address = withoutPassword(url);
    this.#client = connect(this.#connectionString);
  }

  get address(): string {
    return this.#address;
  }

  get closed(): AbortSignal {
    return this.#closed.signal;
  }

  /** For what lives longer than a call; whoever takes it says `doubt` when it fails. */
  get client(): EventStoreDBClient {
    return this.#client;
  }

  /** For what hangs on the client: it is better begun again on the new one than to wait on a node that is silent. */
  onReplaced(listener: (error: unknown) => void): void {
    this.#onReplaced = listener;
  }

  /** One attempt. @throws what the client throws, TimeLimitError, or StoreError closed */
  async attempt<T>(call: (client: EventStoreDBClient) => Promise<T>): Promise<T> {
    if (this.closed.aborted) throw new StoreError({ code: 'closed' });
    const client = this.#client;
    this.#attempts += 1;
    try {
      return await within(this.limits.callMs, call(client));
    } catch (error) {
      this.doubt(client, error);
      throw error;
    } finally {
      this.#attempts -= 1;
      if (this.#attempts === 0) this.#onIdle();
    }
  }

  /** As many attempts as it takes, within patience. For what may be done any number of times. @throws StoreError */
  repeat<T>(call: (client: EventStoreDBClient) => Promise<T>): Promise<T> {
    return untilAnswered(
      () => this.attempt(call),
      this.limits.patienceMs,
      this.closed,
      (error) => this.unreachable(error),
    );
  }

  /** Replaces a client that an error has shown to be of no more use. */
  doubt(client: EventStoreDBClient, error: unknown): void {
    if (client !== this.#client || this.closed.aborted) return;
    if (!poisonsClient(error) && !isSilence(error)) return;
    this.#client = connect(this.#connectionString);
    setTimeout(() => void dispose(client), graceMs).unref();
    this.#onReplaced(error);
  }

  unreachable(error: unknown): StoreError {
    const reason = `${this.#address} does not answer (${(error as Error).message})`;
    return new StoreError({ code: 'unreachable', reason }, error);
  }

  /** Lets the attempts under way come to their end, which their time limits see to. */
  async close(): Promise<void> {
    this.#closed.abort();
    if (this.#attempts > 0) await new Promise<void>((resolve) => (this.#onIdle = resolve));
    await dispose(this.#client);
  }
}

/**
 * The client's own path for many appends on one long call is switched off: there, an error of one append rejects all others
 * that are under way, and late answers end the process. The ledger's appends have a call of their own, see `AppendCall`.
 */
function connect(connectionString: string): EventStoreDBClient {
  const client = EventStoreDBClient.connectionString(connectionString);
  (client as unknown as ClientInside).supports = async () => false;
  return client;
}

async function dispose(client: EventStoreDBClient): Promise<void> {
  try {
    await within(1000, client.dispose());
    const channel = await within(1000, (client as unknown as ClientInside).getChannel());
    channel.close();
  } catch {
    // It never had a connection, or has none any more.
  }
}
