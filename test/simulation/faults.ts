/** Everything that may befall a world, in the words of the summary. */
export const faultKinds = [
  'a request held up',
  'a read failed',
  'an append not written',
  'an answer lost',
  'an answer late',
  'a process died',
  'the clock was set',
  'a subscriber cut off',
  'an agent fell silent',
  'a command sent again',
  'an event that no fold can take',
] as const;
export type FaultKind = (typeof faultKinds)[number];

export type FaultCounts = Partial<Record<FaultKind, number>>;

/** What did befall one world. */
export class Faults {
  readonly counts: FaultCounts = {};

  note(kind: FaultKind): void {
    this.counts[kind] = (this.counts[kind] ?? 0) + 1;
  }
}
