import { aggregates } from '../../src/domain/aggregates.ts';
import { SystemClock } from '../../src/runtime/clock.ts';
import { Runtime } from '../../src/runtime/runtime.ts';
import type { EventStore } from '../../src/store/event-store.ts';

export const portId = (n: number): string => `00000000-0000-4000-8000-${n.toString(16).padStart(12, '0')}`;

const inFlight = 2048;

/**
 * Fills a ledger with ports that are created, wired and renamed, as commands of a running site would. `events` in all,
 * spread evenly over `ports`, which are numbered from `first` on.
 */
export async function fillLedger(
  store: EventStore,
  { ports, events, first = 0 }: { ports: number; events: number; first?: number },
): Promise<void> {
  const runtime = new Runtime({ store, aggregates, clock: new SystemClock(), cachedResources: ports });
  const actor = { type: 'user', id: 'bench' } as const;
  const give = (n: number, type: string, data: object) =>
    runtime.execute({
      resource: { kind: 'port', id: portId(first + n) },
      type,
      data: aggregates.port.commands[type]!.parse(data) as object,
      actor,
    });

  let next = 0;
  const fillOne = async (n: number): Promise<void> => {
    await give(n, 'CreatePort', { name: `port ${n}` });
    await give(n, 'AddProvisioningComponent', { entity: 'L2' });
    for (let revision = 2; revision < events / ports; revision++) {
      await give(n, 'UpdatePort', { name: `port ${n} at ${revision}` });
    }
  };
  const worker = async (): Promise<void> => {
    for (let n = next++; n < ports; n = next++) await fillOne(n);
  };
  await Promise.all(Array.from({ length: inFlight }, worker));
  runtime.close();
}
