import { setTimeout as timer } from 'node:timers/promises';
import { type Channel, type ChannelModel, type ConsumeMessage, connect } from 'amqplib';
import { CommandFailed } from '../failure.ts';
import type { Message } from './message.ts';

export interface AmqpOptions {
  readonly url: string;
  readonly queue: string;
  /** Messages that the broker gives out before the first of them is acknowledged. */
  readonly prefetch: number;
  /** Rejects what cannot be understood, so that the queue's dead-letter exchange gets it. */
  readonly deadLetter: boolean;
  /** Ends the reading; what was read is still settled. */
  readonly signal: AbortSignal;
  readonly note: (text: string) => void;
}

const connectTimeoutMs = 30_000;
const shortestDelayMs = 250;
const longestDelayMs = 5_000;

/**
 * The messages of one queue of a RabbitMQ, for as long as it is wanted. A message is acknowledged when it is settled; the
 * broker gives out again what was not, so that neither its end nor ours loses any.
 */
export class AmqpSource {
  readonly #options: AmqpOptions;
  #connection: ChannelModel | null = null;
  #deliveries: Deliveries | null = null;
  #wasThere = false;

  constructor(options: AmqpOptions) {
    this.#options = options;
  }

  /** @throws CommandFailed where the broker turns us away, or has no such queue */
  async *messages(): AsyncGenerator<Message, void, undefined> {
    const { signal, note } = this.#options;
    let failures = 0;
    while (!signal.aborted) {
      let reason = 'the connection was lost';
      try {
        const deliveries = await this.#consume();
        failures = 0;
        yield* this.#give(deliveries);
      } catch (error) {
        if (!(error instanceof Error)) throw error;
        if (this.#isFinal(error)) throw new CommandFailed(`${this.#where}: ${this.#textOf(error)}`);
        reason = this.#textOf(error);
      }
      if (signal.aborted) return;
      await this.close();
      const delayMs = Math.min(shortestDelayMs * 2 ** failures++, longestDelayMs);
      note(`${this.#where}: ${reason}. Trying again in ${delayMs / 1000} s.`);
      await timer(delayMs, undefined, { signal }).catch(() => {}); // keeps the process alive, as `pause` would not
    }
  }

  /** Lets go of the broker, once all that was read is settled. */
  async close(): Promise<void> {
    try {
      // The channel first: a connection that is closed does not wait for acknowledgements that are on their way.
      await this.#deliveries?.close();
      await this.#connection?.close();
    } catch {
      // It is gone already, and the broker delivers anew what it has not heard of.
    }
  }

  async #consume(): Promise<Deliveries> {
    const { url, queue, prefetch, signal } = this.#options;
    const clientProperties = { connection_name: 'stackledger ingest' };
    const connection = await connect(url, { timeout: connectTimeoutMs, clientProperties });
    this.#connection = connection;
    const deliveries = new Deliveries(connection, signal);
    this.#deliveries = deliveries;
    const channel = await connection.createChannel();
    deliveries.watch(channel);
    await channel.prefetch(prefetch);
    await channel.checkQueue(queue);
    await channel.consume(queue, (delivery) => deliveries.take(delivery));
    this.#wasThere = true;
    return deliveries;
  }

  async *#give(deliveries: Deliveries): AsyncGenerator<Message, void, undefined> {
    const { queue, deadLetter } = this.#options;
    for (let delivery = await deliveries.next(); delivery; delivery = await deliveries.next()) {
      const { content, fields } = delivery;
      const taken = delivery;
      yield {
        content: content.toString('utf8'),
        place: `${queue}#${fields.deliveryTag}`,
        settle: (fate) => deliveries.settle(taken, fate === 'rejected' && deadLetter),
      };
    }
  }

  /** A queue that was there may be missing for a while, as its node starts again. A password does not become right. */
  #isFinal(error: Error): boolean {
    return /ACCESS[_-]REFUSED|NOT_ALLOWED/.test(error.message) || (!this.#wasThere && /NOT_FOUND/.test(error.message));
  }

  /** The broker's address without the password. */
  get #where(): string {
    const { protocol, username, host, pathname } = new URL(this.#options.url);
    return `${protocol}//${username === '' ? '' : `${username}@`}${host}${pathname}`;
  }

  #textOf({ message }: Error): string {
    const { password } = new URL(this.#options.url);
    const secrets = [password, decodeURIComponent(password)].filter((secret) => secret !== '');
    const text = secrets.reduce((shown, secret) => shown.replaceAll(secret, '***'), message);
    return text === '' ? 'nobody answers' : text;
  }
}

/** What one connection delivers, until it is lost or nobody wants more. */
class Deliveries {
  readonly #signal: AbortSignal;
  readonly #waiting: ConsumeMessage[] = [];
  #channel: Channel | null = null;
  #failure: Error | null = null;
  #wake: () => void = () => {};

  constructor(connection: ChannelModel, signal: AbortSignal) {
    this.#signal = signal;
    connection.on('error', (error: Error) => this.#end(error));
    connection.on('close', () => this.#end(null));
    signal.addEventListener('abort', () => this.#wake(), { once: true });
  }

  watch(channel: Channel): void {
    this.#channel = channel;
    channel.on('error', (error: Error) => this.#end(error));
    channel.on('close', () => this.#end(null));
  }

  /** The broker sends nothing where it gives the queue up. */
  take(delivery: ConsumeMessage | null): void {
    if (delivery) this.#waiting.push(delivery);
    else this.#end(new Error('the broker has ended the delivery'));
    this.#wake();
  }

  async next(): Promise<ConsumeMessage | null> {
    for (;;) {
      if (this.#signal.aborted) return null;
      if (!this.#channel) {
        if (this.#failure) throw this.#failure;
        return null;
      }
      const delivery = this.#waiting.shift();
      if (delivery) return delivery;
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }

  /** Of a connection that is lost nothing can be settled: the broker delivers it anew, and the ledger knows it by its key. */
  settle(delivery: ConsumeMessage, dead: boolean): void {
    if (dead) this.#channel?.nack(delivery, false, false);
    else this.#channel?.ack(delivery);
  }

  async close(): Promise<void> {
    await this.#channel?.close();
  }

  #end(failure: Error | null): void {
    this.#failure ??= failure;
    this.#channel = null;
    this.#wake();
  }
}
