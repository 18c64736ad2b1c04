import { failBuild, finishBuild } from './build-outcome.ts';
import type { ServerEvent } from './events.ts';
import type { ServerFacts } from './facts.ts';
import { failOperation, finishOperation } from './operation.ts';
import type { Server } from './state.ts';
import { outlookOf } from './waits.ts';

/** What the network failed to do, in the words of the compute that would have waited for it. */
const notPlugged = { reason: 'VirtualInterfaceCreateException', message: 'Virtual Interface creation failed' };

/** What follows once the waits have changed: the build or the action fails, or ends where its worker is done. */
export function settle(server: Server, facts: ServerFacts, cause: string): ServerEvent[] {
  const outlook = outlookOf(server.waits);
  if (outlook === 'failed') return fail(server, facts, cause);
  if (outlook === 'waiting' || !server.guestReady) return [];
  return finish(server, server.guestReady, cause);
}

/** An action whose guest was touched and is not connected ends in ERROR: nobody knows what works. */
function fail(server: Server, facts: ServerFacts, cause: string): ServerEvent[] {
  const details = missedBy(server);
  if (server.operation) return failOperation(server, { ...notPlugged, details, outcome: 'unknown' }, facts, cause);
  const aborted = `Build of instance ${server.id} aborted: Failed to allocate the network(s), not rescheduling.`;
  return failBuild(server, { reason: 'BuildAbortException', message: aborted, details }, facts, cause);
}

/** Nova's message leaves out which of them it was. */
const missedBy = ({ waits }: Server): string =>
  waits
    .filter(({ result }) => result === 'failed' || result === 'timed-out')
    .map(({ event, tag, result }) => `${event} of ${tag}: ${result}.`)
    .join(' ');

export function finish(
  server: Server,
  ready: Pick<NonNullable<Server['guestReady']>, 'powerState' | 'host'>,
  cause: string,
): ServerEvent[] {
  return server.operation ? finishOperation(server, ready, cause) : finishBuild(server, ready.powerState, cause);
}
