/** What can be wrong with a ledger. The names are what scripts compare; the explanations are for `docs/cli.md`. */
export const checks = {
  'revision-missing': 'An event between two others of its stream is gone.',
  'revision-order': 'An event stands after one of its stream that has the same or a higher revision.',
  'position-order': 'An event has a position that is not after its predecessor in the ledger.',
  'position-missing': 'An event between two others of the ledger is gone.',
  'event-id-repeated': 'Two events have the same id.',
  'time-goes-back': 'An event is earlier than its predecessor in the stream.',
  'chain-missing': 'The metadata hold no link of the chain: they were cut or replaced.',
  'chain-broken':
    'The link of the chain does not follow from the event and its predecessor: one of the two is not what was recorded.',
  unreadable: 'Data or metadata are not JSON objects.',
  'data-invalid': 'The data do not follow the schema of their version.',
  'fold-failed': 'The state cannot be folded any further with this event.',
  'snapshot-differs': 'The kept snapshot is not the state that the events lead to.',
  'receipt-without-events': 'A receipt names events that are not there, or not the ones its command made.',
  'checkpoint-ahead':
    'A reader inside the server has seen events that are not there: the end of the ledger was cut off.',
  'anchor-forged': 'A line of the anchors file is not signed with the key, or does not follow on the line before.',
  'anchor-differs':
    'A stream does not end as an anchor says it did: it was cut off, or written anew from this revision on.',
  'anchor-order':
    'Streams are as an anchor says, but their events were put into another order, or an event was slipped in.',
  'anchor-ahead': 'An anchor covers more events than the ledger has: the end of the ledger was cut off.',
  'server-differs': 'The server shows another state than the events lead to.',
} as const;

export type Check = keyof typeof checks;

export interface Finding {
  readonly check: Check;
  readonly stream: string;
  readonly revision: number;
  readonly position: string;
  /** What differs, in a sentence. */
  readonly detail: string;
}

export type Report = (finding: Finding) => void;

/** The place of a finding: an event has all three. */
export interface Place {
  readonly stream: string;
  readonly revision: number;
  readonly position: string;
}

export const finding = (check: Check, { stream, revision, position }: Place, detail: string): Finding => ({
  check,
  stream,
  revision,
  position,
  detail,
});
