const units = [
  { name: 'd', ms: 86_400_000 },
  { name: 'h', ms: 3_600_000 },
  { name: 'min', ms: 60_000 },
  { name: 's', ms: 1_000 },
] as const;

/** A duration for people, in its two largest units: `350 ms`, `1.3 s`, `4 min 12 s`, `2 d 3 h`. */
export function formatDuration(milliseconds: number): string {
  if (milliseconds < 1_000) return `${Math.round(milliseconds)} ms`;
  if (milliseconds < 10_000) return `${Math.floor(milliseconds / 100) / 10} s`;
  const at = units.findIndex(({ ms }) => milliseconds >= ms);
  const unit = units[at]!;
  const whole = Math.floor(milliseconds / unit.ms);
  const next = units[at + 1];
  const rest = next ? Math.floor((milliseconds % unit.ms) / next.ms) : 0;
  return rest > 0 ? `${whole} ${unit.name} ${rest} ${next!.name}` : `${whole} ${unit.name}`;
}

/** How long since, at this moment (both RFC 3339). What begins only after it is as old as nothing. */
export const ageAt = (now: string, since: string): string =>
  formatDuration(Math.max(0, Date.parse(now) - Date.parse(since)));
