import { loadConfig } from '../../src/config.ts';
import { startStackledger } from '../../src/main.ts';
import type { EventStore } from '../../src/store/event-store.ts';
import { openStore } from '../../src/store/open-store.ts';
import { Chance } from './chance.ts';
import { type Document, documented } from './documented.ts';
import { mutated } from './mutations.ts';
import { realRequest } from './openstack.ts';
import { told, type WireRequest, wire } from './request.ts';
import { type Reply, Sender } from './sender.ts';
import { furnish } from './world.ts';

export interface Tally {
  sent: number;
  /** How often each status was answered. */
  readonly statuses: Map<number, number>;
  readonly faults: string[];
}

/** Requests to one ledger: it stays small, and a fault comes again with the seed of its round alone. */
export const requestsARound = 500;

/** Sends that many requests, by rounds whose seeds follow on each other. */
export async function campaign(
  requests: number,
  seed: number,
  onRound: (seed: number) => void = () => {},
): Promise<Tally> {
  const tally: Tally = { sent: 0, statuses: new Map(), faults: [] };
  for (let round = seed; tally.sent < requests; round++) {
    onRound(round);
    await play(round, Math.min(requestsARound, requests - tally.sent), tally);
  }
  return tally;
}

const flags = [
  '--store',
  'memory:',
  '--port',
  '0',
  '--clock',
  'manual',
  '--log-level',
  'silent',
  '--read-wait-ms',
  '3000',
];

async function play(seed: number, requests: number, tally: Tally): Promise<void> {
  let store: EventStore | undefined;
  const ledger = await startStackledger(loadConfig(flags, {}), async (...how) => {
    store = await openStore(...how);
    return store;
  });
  const sender = new Sender(ledger.url);
  try {
    await new Round(new Chance(seed), sender, store!, tally, seed).run(requests);
  } finally {
    sender.close();
    await ledger.stop();
  }
}

/** Everything a client may ask for afterwards, whatever was stored. */
const lists = [
  ...['ports', 'servers', 'nodes', 'agents', 'networks', 'overview', 'blocked', 'doctor', 'events'].map(
    (list) => `/v1/${list}`,
  ),
  ...['/compute/v2.1/servers/detail', '/compute/v2.1/flavors', '/image/v2/images', '/baremetal/v1/nodes/detail'],
  ...['/baremetal/v1/conductors', '/baremetal/v1/drivers', '/network/v2.0/ports', '/network/v2.0/networks'],
  ...['/network/v2.0/subnets', '/network/v2.0/agents', '/readyz', '/metrics'],
];

class Round {
  readonly #chance: Chance;
  readonly #sender: Sender;
  readonly #store: EventStore;
  readonly #tally: Tally;
  readonly #seed: number;

  constructor(chance: Chance, sender: Sender, store: EventStore, tally: Tally, seed: number) {
    this.#chance = chance;
    this.#sender = sender;
    this.#store = store;
    this.#tally = tally;
    this.#seed = seed;
  }

  async run(requests: number): Promise<void> {
    const chance = this.#chance;
    await furnish(chance, (request) => this.#sender.sendUntilTaken(request));
    const document = await this.#sender.sendUntilTaken(wire('GET', '/openapi.json'));
    const asDocumented = documented(JSON.parse(document.body) as Document);
    const goal = this.#tally.sent + requests;
    while (this.#tally.sent < goal) {
      const honest = chance.happens(0.6) ? realRequest(chance) : asDocumented(chance);
      await this.#try(chance.happens(0.75) ? mutated(honest, chance) : honest);
    }
    for (const list of lists) {
      const asked = wire('GET', list, undefined, { 'openstack-api-version': 'baremetal latest, compute latest' });
      const reply = await this.#sender.sendUntilTaken(asked);
      if (reply.status !== 200) this.#fault(`${reply.status} for a list afterwards`, asked, reply.body);
    }
  }

  async #try(request: WireRequest): Promise<void> {
    const head = await this.#store.head();
    const reply = await this.#sender.send(request).catch((error: Error) => error);
    if (reply === null) return;
    this.#tally.sent++;
    if (reply instanceof Error) return this.#fault(reply.message, request);
    const { statuses } = this.#tally;
    statuses.set(reply.status, (statuses.get(reply.status) ?? 0) + 1);
    const stored = (await this.#store.head()) !== head;
    for (const [complaint, isMet] of complaints)
      if (isMet(request, reply, stored)) this.#fault(complaint, request, reply.body);
    if (!stored) return;
    this.#learn(request, reply);
    await this.#sender.send(wire('POST', '/v1/clock', { advance: 'PT0S' })); // what follows from it has followed then
  }

  #learn({ path }: WireRequest, { body }: Reply): void {
    const kind = /\/(port|server|node|network|subnet)s(\?|$)/.exec(path)?.[1];
    const id = /"(?:uu)?id": ?"([0-9a-f-]{36})"/.exec(body)?.[1];
    if (kind && id) this.#chance.remember(kind, id);
  }

  #fault(what: string, request: WireRequest, answer = ''): void {
    this.#tally.faults.push(`seed ${this.#seed}: ${what}: ${told(request)} -> ${answer.slice(0, 500)}`);
  }
}

type Complaint = readonly [what: string, isMet: (request: WireRequest, reply: Reply, stored: boolean) => boolean];

const isOpenStack = ({ path }: WireRequest): boolean =>
  /^\/(compute|baremetal|network|identity|image)(\/|\?|$)/.test(path);
/** 501 says on purpose that nobody here talks to a hypervisor, 503 that a position has not come yet. */
const meantFailures = [501, 503];

const complaints: readonly Complaint[] = [
  ['a failure of the server', (_, { status }) => status >= 500 && !meantFailures.includes(status)],
  ['refused, and yet stored', (_, { status }, stored) => status >= 400 && stored],
  ['stored by a request that only reads', ({ method }, _, stored) => /^(GET|HEAD|OPTIONS)$/.test(method) && stored],
  ['no answer that makes sense', (_, { status }) => status < 200],
  [
    'a refusal that is no JSON',
    ({ method }, { status, headers, body }) =>
      status >= 400 && method !== 'HEAD' && !(/json/.test(headers['content-type'] ?? '') && body.startsWith('{')),
  ],
  [
    'an answer without x-openstack-request-id',
    (request, { status, headers }) =>
      isOpenStack(request) && status !== 400 && headers['x-openstack-request-id'] === undefined,
  ],
];
