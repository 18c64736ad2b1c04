import type { Client, Command, Resource } from 'stackledger/client';
import { releaseClaim, whileClaimed } from './claim.ts';
import type { Waiting } from './known.ts';
import { isOutdated, isRefused, messageOf } from './problems.ts';
import type { Room, RoomMaker } from './room.ts';

export interface RescueOptions {
  readonly client: Client;
  /** In whose name servers are claimed. Another one for each reaper that runs, the same after a restart. */
  readonly holder: string;
  readonly roomMaker: RoomMaker;
  /** A server that found no host after so many rebuilds is given up. */
  readonly maxAttempts: number;
  readonly log: (line: string) => void;
}

/** One try to help one server. Whatever comes of it, the ledger tells: a try that failed leaves the server PENDING. */
export async function rescue(waiting: Waiting, options: RescueOptions, stop: AbortSignal): Promise<void> {
  const { client, holder, log } = options;
  const server = client.server(waiting.serverId);
  const claimant = { holder, correlationId: waiting.correlationId };
  const say = (what: string): void => log(`${waiting.serverId}: ${what}`);
  try {
    const room = await findRoom(server, waiting, options, stop);
    const { say: told, command } = conclusions[room.verdict](room, holder);
    say(told);
    if (command && (await tellWaiting(server, waiting, holder, command, stop))) return;
  } catch (error) {
    if (!stop.aborted) say(`not helped. ${messageOf(error)}`);
  }
  await releaseClaim(server, claimant).catch((error) => {
    if (!isRefused(error)) say(`the claim could not be released and will run out. ${messageOf(error)}`);
  });
}

function findRoom(
  server: Resource<'server'>,
  waiting: Waiting,
  { holder, roomMaker, maxAttempts }: RescueOptions,
  stop: AbortSignal,
): Promise<Room> {
  const claimant = { holder, correlationId: waiting.correlationId };
  return whileClaimed(server, claimant, stop, async (state, signal) => {
    if (state.pending?.attempt !== waiting.attempt) return { verdict: 'not-now', why: 'it waits anew' };
    if (waiting.attempt > maxAttempts) return { verdict: 'never', why: `no host after ${maxAttempts} rebuilds` };
    return roomMaker.makeRoom(state, waiting, signal);
  });
}

interface Conclusion {
  readonly say: string;
  readonly command: Command<'server'> | null;
}

const why = (room: Room): string => (room.verdict === 'made' ? '' : room.why);

const conclusions: Readonly<Record<Room['verdict'], (room: Room, holder: string) => Conclusion>> = {
  made: (_, holder) => ({ say: 'has room, rebuild', command: { type: 'RebuildServer', data: { holder } } }),
  never: (room) => ({
    say: `given up: ${why(room)}`,
    command: { type: 'ResetServerState', data: { state: 'error' } },
  }),
  'not-now': (room) => ({ say: `no room now: ${why(room)}`, command: null }),
};

/**
 * Tells the server something that would do harm if it were not waiting any more: a rebuild of a server that runs destroys
 * its disk. So it holds for the revision that was looked at, and for one wait once.
 *
 * @returns false where the server does not wait any more, or waits for somebody else
 */
async function tellWaiting(
  server: Resource<'server'>,
  { pendingId, correlationId, attempt }: Waiting,
  holder: string,
  command: Command<'server'>,
  signal: AbortSignal,
): Promise<boolean> {
  for (;;) {
    const { state, revision } = await server.state({ signal });
    const isOurs = state.pending?.attempt === attempt && state.pending.lease?.holder === holder;
    if (!isOurs) return false;
    const idempotencyKey = `${holder.slice(0, 100)}/${pendingId}/${command.type}`;
    try {
      await server.execute(command, { idempotencyKey, ifMatch: revision, correlationId, signal });
      return true;
    } catch (error) {
      if (!isOutdated(error)) throw error;
    }
  }
}
