import { setTimeout as sleep } from 'node:timers/promises';
import type { CommandAnswer, Resource, State } from 'stackledger/client';

type Server = Resource<'server'>;

/** In whose name the claim is, and the operation it belongs to. */
export interface Claimant {
  readonly holder: string;
  readonly correlationId: string;
}

type Work<T> = (state: State<'server'>, signal: AbortSignal) => Promise<T>;

/**
 * Claims a PENDING server and works while the claim is renewed. A claim that is lost (the server was deleted, somebody else
 * took over) aborts the work, and the refusal that told of it is thrown. The claim itself stays: see `releaseClaim`.
 *
 * @throws ProblemError 409 where somebody else has claimed the server, or it is not PENDING; 410 where it was deleted
 */
export async function whileClaimed<T>(
  server: Server,
  claimant: Claimant,
  stop: AbortSignal,
  work: Work<T>,
): Promise<T> {
  const claim = await takeClaim(server, claimant, stop);
  const done = new AbortController();
  const lost = new AbortController();
  const renewing = keepRenewing(server, claimant, lastsMs(claim), AbortSignal.any([stop, done.signal])).catch(
    (error) => {
      if (!done.signal.aborted) lost.abort(error);
    },
  );
  try {
    return await work(claim.state, AbortSignal.any([stop, lost.signal]));
  } catch (error) {
    throw lost.signal.aborted ? lost.signal.reason : error;
  } finally {
    done.abort();
    await renewing;
  }
}

/** Lets somebody else try. Works while this process stops, too, and does nothing where there is no claim of this holder. */
export async function releaseClaim(server: Server, { holder, correlationId }: Claimant): Promise<void> {
  const signal = AbortSignal.timeout(releaseMs);
  await server.execute({ type: 'ReleasePendingClaim', data: { holder } }, { correlationId, signal });
}

const releaseMs = 5_000;

/** A claim from before a restart of this process is still good, but nobody knows for how long. */
async function takeClaim(server: Server, claimant: Claimant, signal: AbortSignal): Promise<CommandAnswer<'server'>> {
  const { holder, correlationId } = claimant;
  const claim = await server.execute({ type: 'ClaimPendingServer', data: { holder } }, { correlationId, signal });
  return claim.events.length > 0 ? claim : renew(server, claimant, signal);
}

const renew = (
  server: Server,
  { holder, correlationId }: Claimant,
  signal: AbortSignal,
): Promise<CommandAnswer<'server'>> =>
  server.execute({ type: 'RenewPendingClaim', data: { holder } }, { correlationId, signal });

async function keepRenewing(server: Server, claimant: Claimant, firstMs: number, signal: AbortSignal): Promise<never> {
  for (let remainingMs = firstMs; ; ) {
    await sleep(remainingMs / 3, undefined, { signal });
    remainingMs = lastsMs(await renew(server, claimant, signal));
  }
}

/** By the ledger's clock on both ends: this machine's may be wrong. */
function lastsMs({ events, state }: CommandAnswer<'server'>): number {
  const claimedAt = events.find(({ type }) => type === 'PendingServerClaimed')?.time;
  const expiresAt = state.pending?.lease?.expiresAt;
  return claimedAt && expiresAt ? Date.parse(expiresAt) - Date.parse(claimedAt) : shortestMs;
}

/** Where the answer does not say: look again soon. */
const shortestMs = 1_000;
