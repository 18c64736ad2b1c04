import { status as grpcStatus, Metadata, type ServiceError } from '@grpc/grpc-js';
import { type ReadResp, shared, streams } from './protocol.ts';
import type { Record } from './record.ts';

const ticksPerMillisecond = 10_000n;

export function identifierOf(name: string): InstanceType<typeof shared.StreamIdentifier> {
  const identifier = new shared.StreamIdentifier();
  identifier.setStreamName(Buffer.from(name).toString('base64'));
  return identifier;
}

export const nameIn = (identifier: { getStreamName_asU8(): Uint8Array } | undefined): string =>
  Buffer.from(identifier?.getStreamName_asU8() ?? []).toString('utf8');

export function uuidOf(text: string): InstanceType<typeof shared.UUID> {
  const uuid = new shared.UUID();
  uuid.setString(text);
  return uuid;
}

export function eventMessage(record: Record): ReadResp {
  const recorded = new streams.ReadResp.ReadEvent.RecordedEvent();
  recorded.setId(uuidOf(record.id));
  recorded.setStreamIdentifier(identifierOf(record.stream));
  recorded.setStreamRevision(record.revision.toString());
  recorded.setCommitPosition(record.position.toString());
  recorded.setPreparePosition(record.position.toString());
  recorded.getMetadataMap().set('type', record.type);
  recorded.getMetadataMap().set('content-type', record.contentType);
  recorded.getMetadataMap().set('created', (BigInt(record.created) * ticksPerMillisecond).toString());
  recorded.setData(record.data);
  recorded.setCustomMetadata(record.metadata);
  const event = new streams.ReadResp.ReadEvent();
  event.setEvent(recorded);
  event.setCommitPosition(record.position.toString());
  const message = new streams.ReadResp();
  message.setEvent(event);
  return message;
}

export function streamNotFound(name: string): ReadResp {
  const content = new streams.ReadResp.StreamNotFound();
  content.setStreamIdentifier(identifierOf(name));
  const message = new streams.ReadResp();
  message.setStreamNotFound(content);
  return message;
}

export function confirmation(id: string): ReadResp {
  const content = new streams.ReadResp.SubscriptionConfirmation();
  content.setSubscriptionId(id);
  const message = new streams.ReadResp();
  message.setConfirmation(content);
  return message;
}

export function checkpoint(position: bigint): ReadResp {
  const content = new streams.ReadResp.Checkpoint();
  content.setCommitPosition(position.toString());
  content.setPreparePosition(position.toString());
  const message = new streams.ReadResp();
  message.setCheckpoint(content);
  return message;
}

export function caughtUp(): ReadResp {
  const message = new streams.ReadResp();
  message.setCaughtUp(new streams.ReadResp.CaughtUp());
  return message;
}

export function fellBehind(): ReadResp {
  const message = new streams.ReadResp();
  message.setFellBehind(new streams.ReadResp.FellBehind());
  return message;
}

export type Failure = Pick<ServiceError, 'code' | 'details' | 'metadata'> & Error;

/** An error as the server sends it: what it is stands in the trailers. */
export function failure(code: grpcStatus, details: string, trailers: { readonly [key: string]: string } = {}): Failure {
  const metadata = new Metadata();
  for (const [key, value] of Object.entries(trailers)) metadata.set(key, value);
  return Object.assign(new Error(details), { code, details, metadata });
}

export const streamDeleted = (name: string): Failure =>
  failure(grpcStatus.FAILED_PRECONDITION, `Event stream '${printable(name)}' is deleted.`, {
    exception: 'stream-deleted',
    'stream-name': printable(name),
  });

export const wrongExpectedVersion = (name: string, expected: string, actual: bigint): Failure =>
  failure(grpcStatus.FAILED_PRECONDITION, `Append failed due to WrongExpectedVersion. Stream: ${printable(name)}`, {
    exception: 'wrong-expected-version',
    'stream-name': printable(name),
    'expected-version': expected,
    'actual-version': actual.toString(),
  });

export const notLeader = (host: string, port: number): Failure =>
  failure(grpcStatus.NOT_FOUND, 'Leader info available', {
    exception: 'not-leader',
    'leader-endpoint-host': host,
    'leader-endpoint-port': String(port),
  });

export const notReady = (): Failure => failure(grpcStatus.UNAVAILABLE, 'Server Is Not Ready');

export const timedOut = (): Failure => failure(grpcStatus.ABORTED, 'Operation timed out');

export const invalidPosition = (): Failure =>
  failure(grpcStatus.INVALID_ARGUMENT, 'Trying to read from an invalid position.');

export const tooLarge = (limit: number): Failure =>
  failure(grpcStatus.INVALID_ARGUMENT, `Maximum Append Size of ${limit} Exceeded.`, {
    exception: 'maximum-append-size-exceeded',
    'maximum-append-size': String(limit),
  });

/** Trailers carry latin-1 only. */
const printable = (text: string): string => text.replace(/[^\x20-\x7e]/g, '?');
