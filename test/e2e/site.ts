import { readFile } from 'node:fs/promises';
import { type Client, type Command, createClient, type Kind } from 'stackledger/client';
import { bareMetalLines } from '../../src/cli/demo/bare-metal.ts';
import { portLines } from '../../src/cli/demo/ports.ts';
import type { Line } from '../../src/cli/demo/scene.ts';
import { loadConfig } from '../../src/config.ts';
import { translate } from '../../src/ingest/translate.ts';
import { type Stackledger, startStackledger } from '../../src/main.ts';

export interface Site {
  readonly url: string;
  readonly client: Client;
  /** @param by the name it is recorded under */
  readonly tell: <K extends Kind>(kind: K, id: string, command: Command<K>, by?: string) => Promise<void>;
  readonly stop: () => Promise<void>;
}

/** A ledger in memory whose time moves when it is told to. */
export async function openSite(flags: readonly string[] = [], token?: string): Promise<Site> {
  const always = ['--port', '0', '--store', 'memory:', '--clock', 'manual', '--log-level', 'silent'];
  const ledger: Stackledger = await startStackledger(loadConfig([...always, ...flags], {}));
  const as = (actor: string): Client =>
    createClient({ baseUrl: ledger.url, actor, ...(token !== undefined && { token }) });
  const client = as('test');
  return {
    url: ledger.url,
    client,
    tell: async (kind, id, command, by = 'test') => {
      const resource = as(by)[kind](id) as unknown as { execute(given: Command): Promise<unknown> };
      await resource.execute(command);
    },
    stop: ledger.stop,
  };
}

/** What the demo plays on ports and on a bare-metal node. */
export async function playDemo(site: Site): Promise<void> {
  for (const line of [...portLines, ...bareMetalLines] as readonly Line[]) {
    if (line.afterMs) await site.client.clock.advance(`PT${line.afterMs / 1000}S`);
    const told = site.tell(line.to.kind, line.to.id, line.command as Command, line.by);
    await (line.refused === undefined ? told : told.catch(() => {}));
  }
}

const recording = new URL(
  '../../demo/recordings/nova/stock/vif_plug_failure_build_abort.notifications.json',
  import.meta.url,
);

/** A Nova that knows nothing of the ledger, told by its notifications alone. @returns the id of its server */
export async function ingestTrace({ tell }: Site): Promise<string> {
  let server = '';
  for (const message of JSON.parse(await readFile(recording, 'utf8')) as unknown[]) {
    const translation = translate(message);
    if (translation.outcome !== 'observed') continue;
    for (const { kind, id, type, data } of translation.observations) {
      await tell(kind, id, { type, data } as Command, 'nova');
      if (kind === 'server') server = id;
    }
  }
  return server;
}

export const serverId = '3b1c9a52-6f0e-4f1c-8a41-5b7be7f7f601';
export const portId = '3b1c9a52-6f0e-4f1c-8a41-5b7be7f7f602';
const networkId = '3b1c9a52-6f0e-4f1c-8a41-5b7be7f7f603';
export const agentId = 'compute-9:Open vSwitch agent';

const configurations = { tunnel_types: ['vxlan'] };

/** A server whose port waits for an agent that has died: it does not come up, and somebody is called at 3 a.m. */
export async function playStuckServer({ tell, client }: Site): Promise<void> {
  await tell('agent', agentId, { type: 'RegisterAgent', data: { configurations } });
  await tell('network', networkId, {
    type: 'CreateNetwork',
    data: { name: 'back', segments: [{ networkType: 'vxlan', segmentationId: 42 }] },
  });
  await tell('server', serverId, { type: 'CreateServer', data: { name: 'web-9', ports: [portId] } });
  await client.clock.advance('PT1S');
  await tell('port', portId, {
    type: 'CreatePort',
    data: { name: 'web-9-eth0', networkId, deviceId: serverId, deviceOwner: 'compute:nova' },
  });
  await tell('server', serverId, { type: 'ServerScheduled', data: { host: 'compute-9' } });
  await tell('port', portId, { type: 'BindPort', data: { host: 'compute-9' } });
  await client.clock.advance('PT2S');
  await tell('server', serverId, { type: 'ReportBuildProgress', data: { attempt: 1, taskState: 'networking' } });
  await tell('server', serverId, { type: 'ReportBuildProgress', data: { attempt: 1, taskState: 'spawning' } });
  await client.clock.advance('PT120S');
}

/** The agent is started again and says what it has done; the guest had been ready for long. */
export async function mendStuckServer({ tell }: Site): Promise<void> {
  await tell('agent', agentId, { type: 'Heartbeat', data: {} });
  await tell('server', serverId, { type: 'ReportBuildSuccess', data: { attempt: 1, powerState: 1 } });
  await tell('port', portId, { type: 'ReportDeviceUp', data: { host: 'compute-9' } });
}
