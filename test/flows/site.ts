import { aggregates } from '../../src/domain/aggregates.ts';
import { nodeToServer } from '../../src/domain/flows/node-to-server.ts';
import { portToServer } from '../../src/domain/flows/port-to-server.ts';
import { serverToNode } from '../../src/domain/flows/server-to-node.ts';
import { serverToPorts } from '../../src/domain/flows/server-to-ports.ts';
import type { Kind } from '../../src/domain/kernel/resource.ts';
import { FlowRunner } from '../../src/runtime/flows.ts';
import { collect, done, nthId, openLedger } from '../support/ledger.ts';

export const [server, node, port, otherPort] = [nthId(1), nthId(2), nthId(3), nthId(4)];

export const conductor = 'conductor-1';

/** A ledger with the chain between servers, ports and nodes running. */
export async function openSite(settings: object = {}) {
  const ledger = await openLedger({ settings: { usePendingState: true, ...settings } });
  const refused: string[] = [];
  const runner = new FlowRunner({
    ...ledger,
    aggregates,
    flows: [serverToPorts, serverToNode, nodeToServer, portToServer],
    observer: {
      commandRefused: (flow, _event, command, refusal) => refused.push(`${flow} ${command.type}: ${refusal.slug}`),
    },
  });
  runner.start();

  /** Gives a command and waits until everything that follows from it has followed. */
  const tell = async (kind: Kind, id: string, type: string, data: object = {}, extra: object = {}) => {
    const outcome = done(await ledger.execute(kind, id, type, data, extra));
    await runner.idle();
    return outcome;
  };
  const stateOf = async (kind: Kind, id: string) => (await ledger.runtime.current({ kind, id }))!.state;
  const streamOf = (kind: Kind, id: string) => collect(ledger.store.readStream(`${kind}-${id}`));
  return { ...ledger, runner, refused, tell, stateOf, streamOf };
}

export type Site = Awaited<ReturnType<typeof openSite>>;

/** A node that is ready for an instance. */
export async function availableNode(site: Site, id = node): Promise<void> {
  await site.tell('node', id, 'EnrollNode', { provisionState: 'available', conductor });
}

/** What the conductor that deploys the node reports. */
export const report = (site: Site, event: string, more: object = {}, id = node) =>
  site.tell('node', id, 'ReportProvisionEvent', { event, holder: conductor, ...more });
