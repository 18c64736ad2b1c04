import type { EventLog } from './event-log.ts';
import { invalidPosition, nameIn, streamDeleted } from './messages.ts';
import type { ReadReq } from './protocol.ts';
import type { Record } from './record.ts';

type Options = NonNullable<ReturnType<ReadReq['getOptions']>>;
type Admits = (record: Record) => boolean;

/** What a read asks of one stream; null where there is no such stream. */
export function recordsOfStream(log: EventLog, options: Options): Iterable<Record> | null {
  const asked = options.getStream()!;
  const name = nameIn(asked.getStreamIdentifier());
  const stream = log.stream(name);
  if (stream?.isTombstoned) throw streamDeleted(name);
  if (!stream || stream.records.length === 0 || stream.isSoftDeleted) return null;
  const visible = stream.visible(Date.now()).filter(({ position }) => isCommitted(log, position));
  const count = Number(options.getCount());
  if (options.getReadDirection() === 1) {
    const from = asked.hasRevision() ? BigInt(asked.getRevision()) : stream.revision;
    return visible
      .filter(({ revision }) => revision <= from)
      .reverse()
      .slice(0, count);
  }
  const from = asked.hasRevision() ? BigInt(asked.getRevision()) : asked.hasEnd() ? stream.revision : 0n;
  const start = visible.findIndex(({ revision }) => revision >= from);
  return start < 0 ? [] : visible.slice(start, start + count);
}

/** What a read asks of the whole log. Forwards it begins at the position, backwards before it. */
export function* recordsOfAll(log: EventLog, options: Options): Generator<Record> {
  const asked = options.getAll()!;
  const admits = filterOf(options);
  let left = Number(options.getCount());
  const backwards = options.getReadDirection() === 1;
  const end = log.committedCount;
  const at = asked.hasPosition() ? indexAt(log, BigInt(asked.getPosition()!.getCommitPosition())) : null;
  if (backwards) {
    for (let index = (at ?? (asked.hasEnd() ? end : 0)) - 1; index >= 0 && left > 0; index--) {
      const record = log.at(index)!;
      if (!admits(record)) continue;
      left -= 1;
      yield record;
    }
    return;
  }
  for (let index = at ?? (asked.hasEnd() ? end : 0); index < log.committedCount && left > 0; index++) {
    const record = log.at(index)!;
    if (!admits(record)) continue;
    left -= 1;
    yield record;
  }
}

/** Number of the first record that a subscription to everything is to be given: the one after its position. */
export function subscriptionStart(log: EventLog, options: Options): number {
  const asked = options.getAll()!;
  if (asked.hasEnd()) return log.committedCount;
  if (!asked.hasPosition()) return 0;
  return indexAt(log, BigInt(asked.getPosition()!.getCommitPosition())) + 1;
}

/** Positions are bytes of the log: only those at which a record begins can be read from. */
function indexAt(log: EventLog, position: bigint): number {
  const index = log.indexOf(position);
  const record = log.at(index);
  if (record && record.position !== position) throw invalidPosition();
  if (!record && index > 0 && position > log.at(index - 1)!.position + 1_000_000_000n) throw invalidPosition();
  return index;
}

const isCommitted = (log: EventLog, position: bigint): boolean => log.at(log.indexOf(position))?.position === position;

export function filterOf(options: Options): Admits {
  const filter = options.getFilter();
  if (!filter) return () => true;
  const ofStream = filter.hasStreamIdentifier();
  const expression = ofStream ? filter.getStreamIdentifier()! : filter.getEventType()!;
  const text = ({ stream, type }: Record): string => (ofStream ? stream : type);
  const prefixes = expression.getPrefixList();
  if (prefixes.length > 0) return (record) => prefixes.some((prefix) => text(record).startsWith(prefix));
  const pattern = new RegExp(expression.getRegex());
  return (record) => pattern.test(text(record));
}
