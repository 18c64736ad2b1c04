import type { IStreamsServer } from '@eventstore/db-client/generated/streams_grpc_pb.js';
import { status as grpcStatus, type Metadata, type ServerWritableStream } from '@grpc/grpc-js';
import { serveBatchAppend } from './batch-append.ts';
import type { EventLog } from './event-log.ts';
import {
  eventMessage,
  type Failure,
  failure,
  nameIn,
  streamDeleted,
  streamNotFound,
  tooLarge,
  wrongExpectedVersion,
} from './messages.ts';
import type { CallKind, Mischief } from './mischief.ts';
import {
  type AppendReq,
  type AppendResp,
  type DeleteReq,
  type ReadReq,
  type ReadResp,
  StreamsService,
  shared,
  streams,
} from './protocol.ts';
import { recordsOfAll, recordsOfStream } from './reading.ts';
import { type AppendOutcome, type Expectation, type Proposal, sizeOf } from './record.ts';
import { type SubscriptionHost, serveSubscription } from './subscription.ts';

/** What the service needs of the node that it runs on. */
export interface StreamsHost extends SubscriptionHost {
  readonly maxAppendBytes: number;
  /**
   * Lets a call in: waits while the node is frozen, refuses what only the leader may do, and says what is to go wrong.
   * @throws Failure
   */
  admit(call: CallKind, requiresLeader: boolean): Promise<Mischief | undefined>;
  /** Carries out a write and settles when a majority has it. @throws Failure */
  write(change: (log: EventLog) => AppendOutcome): Promise<AppendOutcome>;
}

const requiresLeader = (metadata: Metadata): boolean => metadata.get('requires-leader').at(0) === 'true';

export const streamsService = (host: StreamsHost): { definition: typeof StreamsService; handlers: IStreamsServer } => ({
  definition: StreamsService,
  handlers: {
    async append(call, answer) {
      try {
        const { name, expected, events } = await proposalsOf(call as AsyncIterable<AppendReq>);
        if (call.cancelled) return; // what came of it may be half an append
        const mischief = await host.admit('append', requiresLeader(call.metadata));
        if (mischief?.kind === 'silent') return;
        const outcome = await append(host, name, expected, events);
        if (mischief?.kind === 'unanswered') return;
        if (mischief?.kind === 'dropped') throw dropped();
        if (outcome.kind === 'stream-deleted') throw streamDeleted(name);
        answer(null, appendAnswer(outcome, expected));
      } catch (error) {
        answer(error as Failure);
      }
    },

    batchAppend: (call) => void serveBatchAppend(call, host),

    delete: (call, answer) =>
      void remove(host, call.request, call.metadata, (log, name, expected) => log.delete(name, expected)).then(
        () => answer(null, new streams.DeleteResp()),
        (error: Failure) => answer(error),
      ),

    tombstone: (call, answer) =>
      void remove(host, call.request, call.metadata, (log, name, expected) => log.tombstone(name, expected)).then(
        () => answer(null, new streams.TombstoneResp()),
        (error: Failure) => answer(error),
      ),

    read: (call) => void serveRead(call, host).catch((error: Failure) => call.emit('error', error)),
  },
});

/** Refuses what is too large, then writes. @throws Failure */
export async function append(
  host: StreamsHost,
  name: string,
  expected: Expectation,
  events: readonly Proposal[],
): Promise<AppendOutcome> {
  const bytes = events.reduce((sum, event) => sum + sizeOf(event), 0);
  if (bytes > host.maxAppendBytes) throw tooLarge(host.maxAppendBytes);
  return host.write((log) => log.append(name, expected, events));
}

export const dropped = (): Failure => failure(grpcStatus.UNAVAILABLE, 'Connection dropped');

async function proposalsOf(requests: AsyncIterable<AppendReq>) {
  let name = '';
  let expected: Expectation = 'any';
  const events: Proposal[] = [];
  for await (const request of requests) {
    const options = request.getOptions();
    const message = request.getProposedMessage();
    if (options) {
      name = nameIn(options.getStreamIdentifier());
      expected = expectationIn(options);
    }
    if (message) events.push(proposalOf(message));
  }
  return { name, expected, events };
}

interface ExpectationFields {
  hasAny(): boolean;
  hasNoStream(): boolean;
  hasStreamExists(): boolean;
  getRevision(): string;
}

const expectationIn = (options: ExpectationFields): Expectation => {
  if (options.hasAny()) return 'any';
  if (options.hasNoStream()) return 'no-stream';
  return options.hasStreamExists() ? 'stream-exists' : BigInt(options.getRevision());
};

type Proposed = Pick<
  NonNullable<ReturnType<AppendReq['getProposedMessage']>>,
  'getId' | 'getMetadataMap' | 'getData_asU8' | 'getCustomMetadata_asU8'
>;

export const proposalOf = (message: Proposed): Proposal => ({
  id: message.getId()!.getString(),
  type: message.getMetadataMap().get('type') ?? '',
  contentType: message.getMetadataMap().get('content-type') ?? '',
  data: message.getData_asU8(),
  metadata: message.getCustomMetadata_asU8(),
});

function appendAnswer(outcome: Exclude<AppendOutcome, { kind: 'stream-deleted' }>, expected: Expectation): AppendResp {
  const response = new streams.AppendResp();
  if (outcome.kind === 'written') {
    const position = new streams.AppendResp.Position();
    position.setCommitPosition(outcome.position.toString());
    position.setPreparePosition(outcome.position.toString());
    const success = new streams.AppendResp.Success();
    success.setCurrentRevision(outcome.revision.toString());
    success.setPosition(position);
    response.setSuccess(success);
    return response;
  }
  const wrong = new streams.AppendResp.WrongExpectedVersion();
  if (outcome.current < 0n) wrong.setCurrentNoStream(new shared.Empty());
  else wrong.setCurrentRevision(outcome.current.toString());
  if (expected === 'any') wrong.setExpectedAny(new shared.Empty());
  else if (expected === 'no-stream') wrong.setExpectedNoStream(new shared.Empty());
  else if (expected === 'stream-exists') wrong.setExpectedStreamExists(new shared.Empty());
  else wrong.setExpectedRevision(expected.toString());
  response.setWrongExpectedVersion(wrong);
  return response;
}

async function remove(
  host: StreamsHost,
  request: Pick<DeleteReq, 'getOptions'> | { getOptions(): ReturnType<DeleteReq['getOptions']> },
  metadata: Metadata,
  change: (log: EventLog, name: string, expected: Expectation) => AppendOutcome,
): Promise<void> {
  const options = request.getOptions()!;
  const name = nameIn(options.getStreamIdentifier());
  const expected = expectationIn(options);
  await host.admit('delete', requiresLeader(metadata));
  const outcome = await host.write((log) => change(log, name, expected));
  if (outcome.kind === 'stream-deleted') throw streamDeleted(name);
  if (outcome.kind === 'wrong-expected-version') throw wrongExpectedVersion(name, String(expected), outcome.current);
}

async function serveRead(call: ServerWritableStream<ReadReq, ReadResp>, host: StreamsHost): Promise<void> {
  const options = call.request.getOptions()!;
  const subscribes = options.hasSubscription();
  const mischief = await host.admit(subscribes ? 'subscribe' : 'read', requiresLeader(call.metadata));
  if (mischief?.kind === 'silent' || mischief?.kind === 'unanswered') return;
  if (mischief?.kind === 'dropped') throw dropped();
  if (subscribes) {
    await serveSubscription(call, host);
    call.end();
    return;
  }
  const records = options.hasAll() ? recordsOfAll(host.log, options) : recordsOfStream(host.log, options);
  if (records === null) call.write(streamNotFound(nameIn(options.getStream()!.getStreamIdentifier())));
  for (const record of records ?? []) {
    if (call.cancelled || call.destroyed) return;
    if (!call.write(eventMessage(record))) await drainedOrOver(call);
  }
  call.end();
}

const drainedOrOver = (call: ServerWritableStream<ReadReq, ReadResp>): Promise<void> =>
  new Promise((resolve) => {
    const over = (): void => {
      for (const event of ['drain', 'cancelled', 'close']) call.off(event, over);
      resolve();
    };
    for (const event of ['drain', 'cancelled', 'close']) call.once(event, over);
  });
