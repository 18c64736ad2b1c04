import { randomUUID } from 'node:crypto';
import type { ServerWritableStream } from '@grpc/grpc-js';
import { status } from '@grpc/grpc-js';
import type { EventLog } from './event-log.ts';
import {
  caughtUp,
  checkpoint,
  confirmation,
  eventMessage,
  failure,
  fellBehind,
  nameIn,
  streamDeleted,
} from './messages.ts';
import type { ReadReq, ReadResp } from './protocol.ts';
import { filterOf, subscriptionStart } from './reading.ts';

export interface SubscriptionHost {
  readonly log: EventLog;
  /** Whether a consumer that falls behind is told so and served on, or cut off, as servers before 24.2 do. */
  readonly tellsFellBehind: boolean;
  /** Settles when the node goes on after having been frozen. */
  thawed(): Promise<void>;
}

type Call = ServerWritableStream<ReadReq, ReadResp>;

/** Live events that may wait for a consumer before it counts as too slow. */
const maxLag = 1000;

/** Serves one subscription until its call ends: history, the word that it has caught up, then what comes. */
export async function serveSubscription(call: Call, host: SubscriptionHost): Promise<void> {
  const { log } = host;
  const options = call.request.getOptions()!;
  const ofAll = options.hasAll();
  const stream = ofAll ? null : nameIn(options.getStream()!.getStreamIdentifier());
  const admits = filterOf(options);
  const window = (options.getFilter()?.getMax() || 32) * (options.getFilter()?.getCheckpointintervalmultiplier() || 1);
  const firstRevision = stream === null ? 0n : nextRevision(log, stream, options);
  let next = ofAll ? subscriptionStart(log, options) : 0;
  let considered = 0;
  let live = false;

  const ended = new AbortController();
  call.on('cancelled', () => ended.abort());
  call.on('close', () => ended.abort());
  const write = async (message: ReadResp): Promise<void> => {
    if (!call.write(message)) await drained(call, ended.signal);
  };

  await write(confirmation(randomUUID()));
  while (!ended.signal.aborted) {
    await host.thawed();
    if (live && log.committedCount - next > maxLag) {
      if (!host.tellsFellBehind) throw failure(status.ABORTED, 'Operation timed out: consumer too slow');
      live = false;
      await write(fellBehind());
    }
    const record = log.at(next);
    if (!record) {
      if (!live) await write(caughtUp());
      live = true;
      await growth(log, next, ended.signal);
      continue;
    }
    next += 1;
    if (stream !== null && record.stream === stream && record.type === '$streamDeleted') throw streamDeleted(stream);
    const wanted = stream === null ? admits(record) : record.stream === stream && record.revision >= firstRevision;
    if (wanted) await write(eventMessage(record));
    considered += 1;
    if (options.hasFilter() && considered % window === 0) await write(checkpoint(record.position));
  }
}

function nextRevision(log: EventLog, stream: string, options: NonNullable<ReturnType<ReadReq['getOptions']>>): bigint {
  const asked = options.getStream()!;
  if (asked.hasRevision()) return BigInt(asked.getRevision()) + 1n;
  return asked.hasEnd() ? (log.stream(stream)?.revision ?? -1n) + 1n : 0n;
}

const drained = (call: Call, ended: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const goOn = (): void => {
      call.off('drain', goOn);
      ended.removeEventListener('abort', goOn);
      resolve();
    };
    call.once('drain', goOn);
    ended.addEventListener('abort', goOn);
  });

/** Settles when the log has more than `count` records, or the subscription ends. */
function growth(log: EventLog, count: number, ended: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const stop = (): void => {
      off();
      ended.removeEventListener('abort', stop);
      resolve();
    };
    const off = log.onCommit(() => log.committedCount > count && stop());
    ended.addEventListener('abort', stop, { once: true });
  });
}
