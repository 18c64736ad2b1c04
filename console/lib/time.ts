import { createContext, useContext, useSyncExternalStore } from 'react';

const units = [
  ['day', 86_400_000],
  ['h', 3_600_000],
  ['min', 60_000],
  ['s', 1_000],
] as const;

/** `4 min`, `2 h 10 min`, `3 days 4 h`: two units at most, the second only where the first alone would say too little. */
export function formatDuration(milliseconds: number): string {
  const span = Math.max(0, milliseconds);
  if (span < 1_000) return span < 1 ? '0 s' : `${Math.round(span)} ms`;
  const first = units.findIndex(([, size]) => span >= size);
  const [unit, size] = units[first]!;
  const count = Math.floor(span / size);
  const next = units[first + 1];
  const rest = next ? Math.floor((span % size) / next[1]) : 0;
  const head = `${count} ${unit === 'day' && count > 1 ? 'days' : unit}`;
  return next && rest > 0 && count < 10 ? `${head} ${rest} ${next[0]}` : head;
}

/** `2026-01-31 12:04:31.250 UTC` */
export const formatUtc = (time: string): string => `${new Date(time).toISOString().replace('T', ' ').slice(0, -1)} UTC`;

export const formatLocal = (time: string): string =>
  new Date(time).toLocaleString(undefined, { dateStyle: 'medium', timeStyle: 'medium' });

/** `12:04:31`, in UTC: what logs are written in. */
export const formatClock = (time: string): string => new Date(time).toISOString().slice(11, 19);

/** How far the ledger's clock is ahead of this machine's: simulated time may be anywhere. */
let aheadMs = 0;

/** Tells what time it is where the ledger is. The moment an answer takes does not matter, and would make ages jump. */
export function setLedgerTime(time: string): void {
  const difference = Date.parse(time) - Date.now();
  if (Math.abs(difference - aheadMs) > 2_000) aheadMs = difference;
}

const ledgerNow = (): number => Date.now() + aheadMs;

const listeners = new Set<() => void>();
let ticking: ReturnType<typeof setInterval> | undefined;
const second = (): number => Math.floor(Date.now() / 1000);

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  ticking ??= setInterval(() => {
    for (const each of listeners) each();
  }, 1000);
  return () => {
    listeners.delete(listener);
    if (listeners.size > 0) return;
    clearInterval(ticking);
    ticking = undefined;
  };
}

/** The moment that ages are told for, in parts of the page that tell of the past; null where that is the present. */
export const MomentShown = createContext<string | null>(null);

/** The present, a second at a time; one clock for the whole page. Where the past is shown, that moment. */
export function useNow(): number {
  const moment = useContext(MomentShown);
  useSyncExternalStore(subscribe, second);
  return moment === null ? ledgerNow() : Date.parse(moment);
}
