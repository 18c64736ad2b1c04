/** What the client's package ships beneath its own interface: the messages of the protocol, and what its errors are made of. */

import { createRequire } from 'node:module';

type Streams = typeof import('@eventstore/db-client/generated/streams_pb.js');
type Services = typeof import('@eventstore/db-client/generated/streams_grpc_pb.js');
type Shared = typeof import('@eventstore/db-client/generated/shared_pb.js');
type TimestampPb = typeof import('google-protobuf/google/protobuf/timestamp_pb.js');
type Errors = typeof import('@eventstore/db-client/dist/utils/CommandError.js');
type ErrorsInAnswers = typeof import('@eventstore/db-client/dist/streams/appendToStream/unpackError.js');
type Uuids = typeof import('@eventstore/db-client/dist/utils/grpcUUID.js');

const require = createRequire(import.meta.url);
/** The package brings its own copy of the library that its messages are made with. */
const fromClient = createRequire(require.resolve('@eventstore/db-client'));

export const { BatchAppendReq } = require('@eventstore/db-client/generated/streams_pb.js') as Streams;
export const { StreamsClient } = require('@eventstore/db-client/generated/streams_grpc_pb.js') as Services;
export const { Empty, StreamIdentifier, UUID } = require('@eventstore/db-client/generated/shared_pb.js') as Shared;
export const { Timestamp } = fromClient('google-protobuf/google/protobuf/timestamp_pb.js') as TimestampPb;
export const { convertToCommandError } = require('@eventstore/db-client/dist/utils/CommandError.js') as Errors;
export const { unpackToCommandError } =
  require('@eventstore/db-client/dist/streams/appendToStream/unpackError.js') as ErrorsInAnswers;
export const { parseUUID } = require('@eventstore/db-client/dist/utils/grpcUUID.js') as Uuids;

export type BatchAppendReq = InstanceType<Streams['BatchAppendReq']>;
export type BatchAppendResp = InstanceType<Streams['BatchAppendResp']>;
export type StreamsClient = InstanceType<Services['StreamsClient']>;
