import { randomUUID } from 'node:crypto';
import type { EventStoreDBClient } from '@eventstore/db-client';
import type { ClientDuplexStream, ServiceError } from '@grpc/grpc-js';
import { isFinal, typeOf } from './attempts.ts';
import {
  type BatchAppendReq,
  type BatchAppendResp,
  type ClientInside,
  convertToCommandError,
  parseUUID,
  StreamsClient,
  shared,
  streams,
  Timestamp,
  unpackToCommandError,
} from './protocol.ts';
import type { WireEvent } from './wire-event.ts';

interface UnderWay {
  readonly resolve: (position: bigint) => void;
  readonly reject: (error: unknown) => void;
}

/** What became of an append is not known, whatever the reason. */
class OutcomeUnknownError extends Error {
  override readonly name = 'OutcomeUnknownError';
  readonly type = 'outcome-unknown';
}

const broken = (reason: string, cause?: unknown): OutcomeUnknownError =>
  new OutcomeUnknownError(`the call of all appends broke: ${reason}`, { cause });

/**
 * The appends of a client, all on one call that stays open: that costs less than half of a call for each. The client has
 * such a path of its own, on which the error of one append answers all that are under way; here the server's word on an
 * append is about that one, and when the call breaks, each of the others is left open, for its writer to look for.
 */
export class AppendCall {
  readonly #underWay = new Map<string, UnderWay>();
  readonly #call: ClientDuplexStream<BatchAppendReq, BatchAppendResp>;
  isOver = false;

  private constructor(client: ClientInside, service: StreamsClient) {
    const call = service.batchAppend(...client.callArguments({ requiresLeader: true }, { deadline: Infinity }));
    this.#call = call;
    client.disposableStreams.add(call);
    const over = (error: unknown): void => {
      client.disposableStreams.delete(call);
      this.#end(error);
    };
    call.on('data', (answer) => this.#take(answer));
    call.on('end', () => over(broken('the server ended it')));
    call.on('error', (error) => {
      over(meaningOf(error as ServiceError));
      client.handleError(service, error).catch(() => {}); // what it cannot read turns it nowhere: the node is asked again
    });
  }

  /** The call on a client's connection of the moment. */
  static async of(client: EventStoreDBClient): Promise<AppendCall> {
    const inside = client as unknown as ClientInside;
    const service = await inside.getGRPCClient(StreamsClient, 'appendToStream');
    const open = calls.get(service);
    if (open && !open.isOver) return open;
    const call = new AppendCall(inside, service);
    calls.set(service, call);
    return call;
  }

  /**
   * Appends to a stream that is at a revision; -1 is one that does not exist.
   * @returns the position of the last event
   * @throws what the client's own path would throw of this append, or OutcomeUnknownError
   */
  append(stream: string, expectedRevision: number, events: readonly WireEvent[]): Promise<bigint> {
    return new Promise((resolve, reject) => {
      if (this.isOver) return reject(broken('it is over'));
      const id = randomUUID();
      this.#underWay.set(id, { resolve, reject });
      this.#call.write(requestOf(id, stream, expectedRevision, events));
    });
  }

  #take(answer: BatchAppendResp): void {
    const id = parseUUID(answer.getCorrelationId()) ?? '';
    const underWay = this.#underWay.get(id);
    if (!underWay) return; // given up meanwhile
    this.#underWay.delete(id);
    const position = answer.getSuccess()?.getPosition();
    if (answer.hasError()) underWay.reject(errorIn(answer));
    else if (position) underWay.resolve(BigInt(position.getCommitPosition()));
    else underWay.reject(new OutcomeUnknownError('the answer to an append names no position'));
  }

  #end(error: unknown): void {
    if (this.isOver) return;
    this.isOver = true;
    this.#call.end();
    for (const { reject } of this.#underWay.values()) reject(error);
    this.#underWay.clear();
  }
}

const calls = new WeakMap<StreamsClient, AppendCall>();

const unimplemented = 12;

/** A call that broke says nothing final about an append, unless nobody may make it at all. */
function meaningOf(error: ServiceError): unknown {
  if (error.code === unimplemented) return broken('the server is older than EventStoreDB 21.10', error);
  const known = legible(() => convertToCommandError(error)) ?? broken(error.message, error);
  return isFinal(known) && typeOf(known) !== 'access-denied' ? broken(error.message, error) : known;
}

function errorIn(answer: BatchAppendResp): unknown {
  const error = answer.getError()!;
  const stream = Buffer.from(answer.getStreamIdentifier()?.getStreamName_asU8() ?? []).toString();
  return legible(() => unpackToCommandError(error, stream)) ?? new OutcomeUnknownError(error.getMessage());
}

/** The client stumbles over errors that lack what it looks for in them; here nobody would hear it fall. */
function legible(read: () => unknown): unknown {
  try {
    return read();
  } catch {
    return null;
  }
}

const utf8 = new TextEncoder();

function requestOf(
  correlationId: string,
  stream: string,
  expectedRevision: number,
  events: readonly WireEvent[],
): BatchAppendReq {
  const options = new streams.BatchAppendReq.Options();
  const identifier = new shared.StreamIdentifier();
  identifier.setStreamName(utf8.encode(stream));
  options.setStreamIdentifier(identifier);
  if (expectedRevision < 0) options.setNoStream(new shared.Empty() as never);
  else options.setStreamPosition(String(expectedRevision));
  options.setDeadline(farAhead());
  const request = new streams.BatchAppendReq();
  request.setCorrelationId(uuidOf(correlationId));
  request.setOptions(options);
  request.setProposedMessagesList(events.map(messageOf));
  request.setIsFinal(true);
  return request;
}

function messageOf({
  id,
  type,
  contentType,
  data,
  metadata,
}: WireEvent): InstanceType<typeof streams.BatchAppendReq.ProposedMessage> {
  const message = new streams.BatchAppendReq.ProposedMessage();
  message.setId(uuidOf(id));
  message.getMetadataMap().set('type', type).set('content-type', contentType);
  message.setData(data);
  message.setCustomMetadata(metadata);
  return message;
}

function uuidOf(text: string): InstanceType<typeof shared.UUID> {
  const uuid = new shared.UUID();
  uuid.setString(text);
  return uuid;
}

const aDayMs = 86_400_000;

/**
 * When the server is to give an append up, by its own clock. It gives each a time limit besides, and so do we: this one is
 * far ahead, so that no difference between the two clocks ends an append before it began.
 */
function farAhead(): InstanceType<typeof Timestamp> {
  const timestamp = new Timestamp();
  timestamp.setSeconds(Math.floor((Date.now() + aDayMs) / 1000));
  return timestamp;
}
