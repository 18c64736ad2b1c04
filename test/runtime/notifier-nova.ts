import { aggregates } from '../../src/domain/aggregates.ts';
import type { NovaEvent } from '../../src/runtime/notifier/notification.ts';
import { NovaNotifier } from '../../src/runtime/notifier/nova-notifier.ts';
import type { NovaNotifierOptions } from '../../src/runtime/notifier/nova-notifier-options.ts';
import { type Answer, FakeServer } from '../client/fake-server.ts';
import { done, nthId, openLedger } from '../support/ledger.ts';

export const serverId = 'aaaaaaaa-0000-4000-8000-000000000001';

/** Nova's answer when every event gets the code that `codeOf` says; the whole is 200 or, where one is not, 207. */
export const novaAnswers =
  (codeOf: (event: NovaEvent) => number = () => 200): Answer =>
  (response, request) => {
    const events = (JSON.parse(request.body) as { events: NovaEvent[] }).events.map((event) => {
      const code = codeOf(event);
      return { ...event, code, status: code === 200 ? 'completed' : 'failed' };
    });
    const status = events.every(({ code }) => code === 200) ? 200 : 207;
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify({ events }));
  };

/** An answer for the request as a whole. */
export const says =
  (status: number, headers: Record<string, string> = {}, body = ''): Answer =>
  (response) =>
    response.writeHead(status, headers).end(body);

type Ledger = Awaited<ReturnType<typeof openLedger>>;

/** A ledger, a Nova that plays a script, and what Nova was told. */
export async function openSite(...script: Answer[]) {
  const ledger = await openLedger();
  const nova = await FakeServer.playing(...script);
  const novaUrl = `${nova.url}/v2.1`;
  const heard: string[] = [];
  const notifiers: NovaNotifier[] = [];

  const startNotifier = async (options: Partial<NovaNotifierOptions> = {}) => {
    const notifier = new NovaNotifier({
      url: novaUrl,
      batchMs: 2000,
      maxBatch: 64,
      timeoutMs: 10_000,
      store: ledger.store,
      runtime: ledger.runtime,
      ports: aggregates.port,
      clock: ledger.clock,
      fetch,
      random: () => 1,
      observer: {
        deadLettered: ({ event, answer }) => heard.push(`dead: ${event.name} ${numberOf(event.tag)}: ${answer.code}`),
        deliveryFailed: (detail) => heard.push(`failed: ${detail}`),
        deliveryResumed: () => heard.push('resumed'),
        eventSkipped: () => heard.push('skipped'),
      },
      ...options,
    });
    await notifier.start();
    notifiers.push(notifier);
    return notifier;
  };

  return {
    ...ledger,
    nova,
    heard,
    startNotifier,
    ports: portsOf(ledger),
    /** What each request said: `plugged 1` for port 1. */
    told: () => nova.requests.map(({ body }) => (JSON.parse(body) as { events: NovaEvent[] }).events.map(short)),
    close: async () => {
      for (const notifier of notifiers) await notifier.stop();
      nova.close();
    },
  };
}

const numberOf = (id: string): number => Number.parseInt(id.slice(-12), 16);
const short = ({ name, status, tag }: NovaEvent): string =>
  `${name.replace('network-vif-', '')}${status === 'failed' ? '-failed' : ''} ${numberOf(tag)}`;

/** What happens to ports, by their numbers. */
const portsOf = ({ execute }: Ledger) => {
  const set = async (n: number, status: string) =>
    done(await execute('port', nthId(n), 'ObservePort', { source: 'neutron', status }));
  return {
    create: async (n: number, deviceId = serverId, deviceOwner = 'compute:nova') =>
      done(await execute('port', nthId(n), 'CreatePort', { deviceId, deviceOwner })),
    update: async (n: number, changes: object) => done(await execute('port', nthId(n), 'UpdatePort', changes)),
    plug: (n: number) => set(n, 'ACTIVE'),
    unplug: (n: number) => set(n, 'DOWN'),
    fail: async (n: number, retryable = false) =>
      done(await execute('port', nthId(n), 'SetPortStatus', { status: 'ERROR', retryable })),
    delete: async (n: number) => done(await execute('port', nthId(n), 'DeletePort')),
    /** Ports of that many servers, all plugged. */
    plugMany: async (from: number, to: number) => {
      for (let n = from; n <= to; n++) await set(n, 'ACTIVE');
    },
  };
};
