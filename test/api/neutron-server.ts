import { loadConfig } from '../../src/config.ts';
import { Refusal } from '../../src/domain/kernel/refusal.ts';
import type { Kind } from '../../src/domain/kernel/resource.ts';
import type { Port } from '../../src/domain/port/state.ts';
import { type LedgerConfig, startStackledger } from '../../src/main.ts';
import { Done, type Outcome } from '../../src/runtime/command.ts';
import type { EventStore } from '../../src/store/event-store.ts';
import { openStore } from '../../src/store/open-store.ts';
import type { Stage } from '../domain/port/neutron/stage.ts';
import { type NovaEvent, novaEvent } from '../domain/port/neutron/vectors.ts';
import { type Hooks, hooked, interferingBy, serverId } from '../domain/port/site.ts';
import { surroundingsBy } from '../domain/port/surroundings.ts';
import { executor, openLedger } from '../support/ledger.ts';
import { clientOf, slugOf } from './support.ts';

/** A server with these drivers, on which scenarios are played one after the other. */
export async function startNeutronServer(mechanismDrivers: LedgerConfig['mechanismDrivers'] & {}) {
  const hooks: Hooks = new Map();
  let bare: EventStore | undefined;
  const config: LedgerConfig = {
    ...loadConfig(['--port', '0', '--store', 'memory:', '--clock', 'manual', '--log-level', 'silent'], {}),
    mechanismDrivers,
  };
  const ledger = await startStackledger(config, async (...how) => {
    bare = await openStore(...how);
    return hooked(bare, hooks);
  });
  return { stop: ledger.stop, stage: (number: number) => stageOn(ledger.url, { number, hooks, store: bare! }) };
}

interface Behind {
  /** Tells the scenarios on one server apart. */
  readonly number: number;
  /** Where others are let in between, behind the server's back. */
  readonly hooks: Hooks;
  readonly store: EventStore;
}

async function stageOn(url: string, { number, hooks, store }: Behind): Promise<Stage> {
  const { get, post } = clientOf(url);
  const { there, here } = namesOf(number);
  const path = (kind: Kind, id: string) => `/v1/${kind}s/${encodeURIComponent(there.id(kind, id))}`;

  async function execute(kind: Kind, id: string, type: string, data: object = {}): Promise<Outcome> {
    const resource = { kind, id };
    const answer = await post(`${path(kind, id)}/commands`, { type, data: there.data(data) });
    const body = here(answer.body);
    if (answer.status === 200) {
      const { revision, position, events, state } = body;
      return new Done(resource, revision, position, JSON.stringify(events), JSON.stringify(state));
    }
    const { title, detail, revision = -1 } = body;
    const definition = { category: 'conflict', title, explanation: '' } as const;
    return { outcome: 'refused', resource, refusal: new Refusal(slugOf(answer), definition, detail), revision };
  }

  async function advance(seconds: number): Promise<void> {
    await post('/v1/clock', { advance: `PT${seconds}S` });
  }

  const metric = async (line: RegExp): Promise<number> => {
    const { text } = await get('/metrics');
    return [...text.matchAll(line)].reduce((sum, [, count]) => sum + Number(count), 0);
  };
  const toldSoFar = () => metric(/^stackledger_commands_total\{.*type="ReceiveExternalEvent".*\} (\d+)$/gm);
  let told = await toldSoFar();
  let written = 0;
  await execute('server', serverId, 'ObserveServer', { source: 'nova', vmState: 'active', host: 'host1' });

  return {
    execute,
    port: (id, type, data) => execute('port', id, type, data),
    settle: () => advance(0),
    ...surroundingsBy({ execute, advance }),

    async portState(id) {
      const { status, body } = await get(path('port', id));
      return status === 200 ? (here(body) as Port) : null;
    },

    /** The server's own history has what was new to it; the metrics have how often it was told. */
    async takeTold() {
      await advance(0);
      const before = told;
      told = await toldSoFar();
      if (told === before) return { times: 0, news: [] };
      const { body } = await get(`${path('server', serverId)}/history`);
      const all = body.events.filter(({ type }: { type: string }) => type === 'ExternalEventReceived');
      const news = all.slice(written).map(({ data }: { data: NovaEvent }) => novaEvent(data));
      written = all.length;
      return { times: told - before, news };
    },

    racesLost: () => metric(/^stackledger_races_lost_total\{kind="port"\} (\d+)$/gm),

    interfering: (portId, interfere) => interferingBy(hooks)(there.id('port', portId), interfere),

    async rival(drivers) {
      const { runtime } = await openLedger({ store, settings: { ...(drivers && { mechanismDrivers: drivers }) } });
      const rival = executor(runtime);
      return (kind, id, type, data = {}) => rival(kind, there.id(kind, id), type, there.data(data));
    },
  };
}

/** The domain that the hosts of a scenario are in. */
export const domainOf = (number: number): string => `.site-${number}.test`;

/** The names of one scenario, as they are on a server that has played others: ids and hosts are its own there. */
function namesOf(number: number) {
  const group = `-${number.toString(16).padStart(4, '0')}-4000-8000-`;
  const suffix = domainOf(number);
  const withOwnIds = (text: string): string => text.replaceAll('-0000-4000-8000-', group);
  const withOwnNames = (text: string): string =>
    withOwnIds(text).replaceAll(/"host":"([^"]+)"/g, `"host":"$1${suffix}"`);
  return {
    there: {
      id: (kind: Kind, id: string): string =>
        kind === 'agent' ? id.replace(/:[^:]*$/, `${suffix}$&`) : withOwnIds(id),
      data: (data: object): object => JSON.parse(withOwnNames(JSON.stringify(data))) as object,
    },
    // biome-ignore lint/suspicious/noExplicitAny: tests look into whatever was answered
    here: (body: unknown): any =>
      JSON.parse(JSON.stringify(body).replaceAll(group, '-0000-4000-8000-').replaceAll(suffix, '')),
  };
}
