import { once } from 'node:events';
import { connect } from 'amqplib';
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import { type AmqpOptions, AmqpSource } from '../../src/cli/ingest/amqp.ts';
import { ingest, type Reject } from '../../src/cli/ingest/ingest.ts';
import { createClient } from '../../src/client/index.ts';
import { loadConfig } from '../../src/config.ts';
import { type Stackledger, startStackledger } from '../../src/main.ts';
import { describeWith, rabbitmq } from '../support/external.ts';
import { nthId } from '../support/ledger.ts';
import { Broker } from '../support/rabbitmq.ts';
import { finished, patient, start } from './run.ts';

vi.setConfig(patient);

/** A message about a port of its own, as Neutron puts it on the bus. */
function messageAbout(number: number): string {
  const envelope = {
    message_id: `message-${number}`,
    publisher_id: 'network.host-1',
    event_type: 'port.update.end',
    timestamp: '2026-05-28 12:00:00.000000',
    payload: { port: { id: nthId(number), status: 'ACTIVE', device_owner: 'compute:nova', 'binding:host_id': 'h-1' } },
  };
  return JSON.stringify({ 'oslo.version': '2.0', 'oslo.message': JSON.stringify(envelope) });
}

const messagesAbout = (from: number, count: number): string[] =>
  Array.from({ length: count }, (_, index) => messageAbout(from + index));

describeWith(rabbitmq, 'notifications on the queues of a RabbitMQ', () => {
  let broker: Broker;
  let ledger: Stackledger;

  beforeAll(async () => {
    const flags = ['--store', 'memory:', '--port', '0', '--log-level', 'silent'];
    [broker, ledger] = await Promise.all([Broker.start(), startStackledger(loadConfig(flags, {}))]);
  });
  afterAll(() => Promise.all([broker?.stop(), ledger?.stop()]));

  /** Declares a queue and puts messages on it that outlive the broker. */
  async function publish(queue: string, messages: readonly string[], options: Record<string, unknown> = {}) {
    const connection = await connect(broker.url);
    const channel = await connection.createConfirmChannel();
    await channel.assertQueue(queue, { durable: true, arguments: options });
    for (const message of messages) channel.sendToQueue(queue, Buffer.from(message), { persistent: true });
    await channel.waitForConfirms();
    await connection.close();
  }

  async function left(queue: string): Promise<number> {
    const connection = await connect(broker.url);
    const channel = await connection.createChannel();
    const { messageCount } = await channel.checkQueue(queue);
    await connection.close();
    return messageCount;
  }

  /** How often the ledger has what a message said, message by message. */
  async function recorded(from: number, count: number): Promise<number[]> {
    const times = new Map<string, number>();
    let after: string | undefined;
    for (;;) {
      const options = { type: 'PortObserved', limit: 1000, ...(after !== undefined && { after }) };
      const page = await createClient({ baseUrl: ledger.url }).eventPage(options);
      for (const { resource } of page.events) times.set(resource!.id, (times.get(resource!.id) ?? 0) + 1);
      if (page.events.length === 0) break;
      after = page.next;
    }
    return Array.from({ length: count }, (_, index) => times.get(nthId(from + index)) ?? 0);
  }

  const onceEach = (count: number): number[] => Array.from({ length: count }, () => 1);

  const sourceOf = (queue: string, signal: AbortSignal, more: Partial<AmqpOptions> = {}): AmqpSource =>
    new AmqpSource({ url: broker.url, queue, prefetch: 20, deadLetter: false, signal, note: () => {}, ...more });

  test('each is recorded once and acknowledged then, and what cannot be understood is told', async () => {
    await publish('classic', [...messagesAbout(1, 50), messageAbout(7), 'no JSON']);
    const stop = new AbortController();
    const rejects: Reject[] = [];
    const source = sourceOf('classic', stop.signal);
    const summary = await ingest(source.messages(), {
      client: createClient({ baseUrl: ledger.url }),
      reject: (reject) => rejects.push(reject),
      onProgress: (count) => count === 52 && stop.abort(),
    });
    await source.close();

    expect(summary).toMatchObject({ messages: 52, recorded: 50, repeated: 1, rejected: 1 });
    expect(rejects).toEqual([{ place: 'classic#52', reason: 'It is no JSON.', message: 'no JSON' }]);
    expect(await recorded(1, 50)).toEqual(onceEach(50));
    expect(await left('classic')).toBe(0);
  });

  test('what cannot be understood is a dead letter where that is wanted', async () => {
    await publish('dead', []);
    await publish('with-dead-letters', ['no JSON'], {
      'x-dead-letter-exchange': '',
      'x-dead-letter-routing-key': 'dead',
    });
    const stop = new AbortController();
    const source = sourceOf('with-dead-letters', stop.signal, { deadLetter: true });
    const client = createClient({ baseUrl: ledger.url });
    await ingest(source.messages(), { client, reject: () => stop.abort() });
    await source.close();
    await expect.poll(() => left('dead')).toBe(1);
  });

  test.each<[string, string, Partial<AmqpOptions>]>([
    ['a queue that is not there', 'NOT_FOUND', {}],
    ['a password that is wrong', 'ACCESS_REFUSED', { url: 'wrong' }],
  ])('%s is told, without the password, and not tried again', async (_what, reason, { url }) => {
    const wrong = url === undefined ? {} : { url: broker.url.replace('guest:guest', 'guest:s3cret') };
    const reading = sourceOf('nowhere', new AbortController().signal, wrong).messages().next();
    await expect(reading).rejects.toThrow(new RegExp(`^(?!.*s3cret).*guest@127.*${reason}`));
  });

  test('on a quorum queue, with the reader killed and the broker cut off in the middle: all is there, once', async () => {
    const [from, count] = [1000, 1000];
    await publish('quorum', messagesAbout(from, count / 2), { 'x-queue-type': 'quorum' });
    const line = ['ingest', '--amqp', broker.url, '--queue', 'quorum', '--prefetch', '100', '--url', ledger.url];

    const killed = start(line);
    await expect.poll(async () => (await recorded(from, 1))[0], { interval: 20, timeout: 60_000 }).toBe(1);
    killed.kill('SIGKILL');
    await once(killed, 'exit');

    const reader = start([...line, '--json']);
    onTestFinished(() => void reader.kill('SIGKILL'));
    const ran = finished(reader);
    await publish('quorum', messagesAbout(from + count / 2, count / 2), { 'x-queue-type': 'quorum' });
    await broker.crashAndRestart();
    const sum = async () => (await recorded(from, count)).reduce((all, times) => all + times, 0);
    await expect.poll(sum, { interval: 250, timeout: 60_000 }).toBeGreaterThanOrEqual(count);
    // What was recorded while its acknowledgement was lost comes again, and is acknowledged then.
    let quiet = 0;
    const looksWithNothingLeft = async () => (quiet = (await left('quorum')) === 0 ? quiet + 1 : 0);
    await expect.poll(looksWithNothingLeft, { interval: 250, timeout: 60_000 }).toBeGreaterThanOrEqual(4);
    reader.kill('SIGTERM');

    const { code, stdout, stderr } = await ran;
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ rejected: 0, unexpected: 0 });
    expect(stdout + stderr).not.toContain('guest:guest');
    expect(await recorded(from, count)).toEqual(onceEach(count));
    expect(await left('quorum')).toBe(0);
  });
});
