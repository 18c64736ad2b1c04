/** What the client's package ships beneath its own interface: messages and services of the protocol, and its inner parts. */

import { createRequire } from 'node:module';
import type { CallOptions, Metadata } from '@grpc/grpc-js';

export type Streams = typeof import('@eventstore/db-client/generated/streams_pb.js');
type Services = typeof import('@eventstore/db-client/generated/streams_grpc_pb.js');
type Shared = typeof import('@eventstore/db-client/generated/shared_pb.js');
type TimestampPb = typeof import('google-protobuf/google/protobuf/timestamp_pb.js');
type Errors = typeof import('@eventstore/db-client/dist/utils/CommandError.js');
type ErrorsInAnswers = typeof import('@eventstore/db-client/dist/streams/appendToStream/unpackError.js');
type Uuids = typeof import('@eventstore/db-client/dist/utils/grpcUUID.js');

const require = createRequire(import.meta.url);

export const shipped = (path: string): unknown => require(`@eventstore/db-client/${path}.js`);
/** From the package's own copy of the library that its messages are made with. */
export const fromItsLibrary = createRequire(require.resolve('@eventstore/db-client'));

export const streams = shipped('generated/streams_pb') as Streams;
export const shared = shipped('generated/shared_pb') as Shared;
export const { StreamsClient, StreamsService } = shipped('generated/streams_grpc_pb') as Services;
export const { Timestamp } = fromItsLibrary('google-protobuf/google/protobuf/timestamp_pb.js') as TimestampPb;
export const { convertToCommandError } = shipped('dist/utils/CommandError') as Errors;
export const { unpackToCommandError } = shipped('dist/streams/appendToStream/unpackError') as ErrorsInAnswers;
export const { parseUUID } = shipped('dist/utils/grpcUUID') as Uuids;

export type BatchAppendReq = InstanceType<Streams['BatchAppendReq']>;
export type BatchAppendResp = InstanceType<Streams['BatchAppendResp']>;
export type StreamsClient = InstanceType<Services['StreamsClient']>;

/** Parts of the client that its types keep to themselves. */
export interface ClientInside {
  supports: () => Promise<boolean>;
  getChannel(): Promise<{ close(): void }>;
  /** The service on the connection of the moment; another one after the client has turned to another node. */
  getGRPCClient(service: typeof StreamsClient, name: string): Promise<StreamsClient>;
  /** What a call takes along: the user, and that only the leader may answer. */
  callArguments(options: { requiresLeader: true }, call: CallOptions): [Metadata, CallOptions];
  /** Turns to another node where the error says so. */
  handleError(service: StreamsClient, error: Error): Promise<void>;
  /** What ends with the client. */
  readonly disposableStreams: Set<unknown>;
}
