import { useSyncExternalStore } from 'react';
import { type Client, createClient } from '../../src/client/index.ts';

/** The line to the ledger: the client, and whether the server wants to know who asks. */
export interface Ledger {
  readonly client: Client;
  readonly hasToken: boolean;
  /** Why a token is asked for; null where none is. */
  readonly tokenWanted: string | null;
}

/** For as long as the tab is open, and in this tab only. */
const tokenKey = 'stackledger-token';

const connect = (token: string | null): Client =>
  // Pages try again by themselves and say when, so the client need not.
  createClient({ baseUrl: window.location.origin, retry: { attempts: 1 }, ...(token !== null && { token }) });

const open = (token: string | null): Ledger => ({
  client: connect(token),
  hasToken: token !== null,
  tokenWanted: null,
});

let ledger = open(sessionStorage.getItem(tokenKey));
const listeners = new Set<() => void>();

function become(next: Ledger): void {
  ledger = next;
  for (const listener of listeners) listener();
}

const subscribe = (listener: () => void): (() => void) => {
  listeners.add(listener);
  return () => listeners.delete(listener);
};

export const useLedger = (): Ledger => useSyncExternalStore(subscribe, () => ledger);

/** Whether a command needs a token, as far as reading needed one. */
export const isTokenNeeded = (): boolean => ledger.hasToken;

/** What the server said when it did not take the token, or missed one. */
export function askForToken(reason: string): void {
  if (ledger.tokenWanted !== reason) become({ ...ledger, tokenWanted: reason });
}

export function giveToken(token: string): void {
  sessionStorage.setItem(tokenKey, token);
  become(open(token));
}

export function forgetToken(): void {
  sessionStorage.removeItem(tokenKey);
  become(open(null));
}
