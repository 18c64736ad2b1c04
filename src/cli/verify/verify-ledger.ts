import type { KeyObject } from 'node:crypto';
import type { Aggregate } from '../../domain/kernel/aggregate.ts';
import type { Kind } from '../../domain/kernel/resource.ts';
import type { EventStore, LedgerInfo } from '../../store/event-store.ts';
import { cutOf, ledgerRecords } from '../ledger-records.ts';
import { AnchorCheck } from './anchor-check.ts';
import type { Finding } from './finding.ts';
import { LedgerCheck, RepeatedIds } from './ledger-check.ts';
import type { StateCheck } from './state-check.ts';

/** Findings kept with their details; a ledger that is worse than that is only counted on. */
const keptFindings = 1000;

export interface Verification {
  readonly ledger: LedgerInfo;
  /** Position up to which the ledger was read. */
  readonly position: string;
  readonly events: number;
  readonly streams: number;
  readonly receipts: number;
  readonly snapshots: { readonly compared: number; readonly ignored: number };
  readonly unknownTypes: Readonly<Record<string, number>>;
  /** Resources whose state was compared with the server's; null where no server was asked. */
  readonly compared: number | null;
  /** Anchors the ledger was held against; null where none were given. */
  readonly anchors: number | null;
  /** Lines of the anchors' file that broke off when they were written. */
  readonly halfAnchors: number;
  readonly findingCount: number;
  readonly findings: readonly Finding[];
}

/** Asked at the end with every refolded state: is it what the server shows? */
export type CompareStates = (states: StateCheck, report: (finding: Finding) => void) => Promise<number>;

/** Anchors of a ledger, and the key they were signed with: the public one will do. */
export interface AnchorsGiven {
  readonly lines: AsyncIterable<string>;
  readonly key: KeyObject;
}

/** Reads a ledger once (twice where an event id seems to repeat) and checks everything that can be checked. */
export async function verifyLedger(
  store: EventStore,
  aggregates: Readonly<Record<Kind, Aggregate>>,
  compareStates: CompareStates | null,
  onEvent: (events: number) => void = () => {},
  anchorsGiven: AnchorsGiven | null = null,
): Promise<Verification> {
  const findings: Finding[] = [];
  let findingCount = 0;
  const report = (finding: Finding): void => {
    findingCount++;
    if (findings.length < keptFindings) findings.push(finding);
  };

  const check = new LedgerCheck(store.info.engine, aggregates, report);
  const anchors = anchorsGiven && new AnchorCheck(anchorsGiven.lines, anchorsGiven.key, store.info.ledgerId, report);
  await anchors?.begin();
  // Snapshots first: one that is made meanwhile would be ahead of the events that are read.
  for await (const snapshot of store.readSnapshots()) check.snapshot(snapshot);
  const cut = await cutOf(store);
  const position = cut.head;
  for (const checkpoint of cut.checkpoints) check.checkpoint(checkpoint, position);
  for await (const record of ledgerRecords(store, cut)) {
    if (record.kind === 'receipt') check.receipt(record.receipt);
    if (record.kind === 'event') {
      check.event(record.event);
      if (anchors) await anchors.event(record.event);
    }
    onEvent(check.events);
  }
  check.end();
  await anchors?.end(position);
  await settleSuspicions(store, check.suspectedIds, position, report);
  const compared = compareStates && (await compareStates(check.states, report));

  const { snapshotsCompared, snapshotsIgnored, unknownTypes } = check.states;
  return {
    ledger: store.info,
    position,
    events: check.events,
    streams: check.streams.streams,
    receipts: check.receipts.receipts,
    snapshots: { compared: snapshotsCompared, ignored: snapshotsIgnored },
    unknownTypes: Object.fromEntries(unknownTypes),
    compared,
    anchors: anchors?.anchors ?? null,
    halfAnchors: anchors?.halves ?? 0,
    findingCount,
    findings,
  };
}

async function settleSuspicions(
  store: EventStore,
  suspected: ReadonlySet<string>,
  position: string,
  report: (finding: Finding) => void,
): Promise<void> {
  if (suspected.size === 0) return;
  const repeated = new RepeatedIds(suspected, report);
  for await (const event of store.readAll()) {
    if (event.position > position) return;
    repeated.event(event);
  }
}
