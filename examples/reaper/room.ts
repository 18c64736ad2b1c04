import type { State } from 'stackledger/client';
import type { Waiting } from './known.ts';

/** What became of an attempt to make room; `why` is for the log. */
export type Room =
  | { readonly verdict: 'made' }
  | { readonly verdict: 'not-now'; readonly why: string }
  | { readonly verdict: 'never'; readonly why: string };

/** The part of a reaper that is yours: where room comes from. */
export interface RoomMaker {
  /**
   * Makes room for one server. May be called again for the same `waiting.pendingId`, by another process too, after a first
   * call was cut short at any point: what that one began must count. Throws when the signal aborts.
   */
  makeRoom(server: State<'server'>, waiting: Waiting, signal: AbortSignal): Promise<Room>;
}
