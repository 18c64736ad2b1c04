/** The protocol as the client's package ships it: messages and service definitions, with the library they were made for. */

import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);

type Streams = typeof import('@eventstore/db-client/generated/streams_pb.js');
type Shared = typeof import('@eventstore/db-client/generated/shared_pb.js');
type Gossip = typeof import('@eventstore/db-client/generated/gossip_pb.js');
type Features = typeof import('@eventstore/db-client/generated/serverfeatures_pb.js');
type Status = typeof import('@eventstore/db-client/generated/status_pb.js');
type StreamsGrpc = typeof import('@eventstore/db-client/generated/streams_grpc_pb.js');
type GossipGrpc = typeof import('@eventstore/db-client/generated/gossip_grpc_pb.js');
type FeaturesGrpc = typeof import('@eventstore/db-client/generated/serverfeatures_grpc_pb.js');

const shipped = (name: string): unknown => require(`@eventstore/db-client/generated/${name}.js`);

export const streams = shipped('streams_pb') as Streams;
export const shared = shipped('shared_pb') as Shared;
export const gossip = shipped('gossip_pb') as Gossip;
export const features = shipped('serverfeatures_pb') as Features;
export const status = shipped('status_pb') as Status;
export const { StreamsService } = shipped('streams_grpc_pb') as StreamsGrpc;
export const { GossipService } = shipped('gossip_grpc_pb') as GossipGrpc;
export const { ServerFeaturesService } = shipped('serverfeatures_grpc_pb') as FeaturesGrpc;

/** `Any` comes with the client's own copy of its library. */
const fromClient = createRequire(require.resolve('@eventstore/db-client'));
export const { Any } = fromClient('google-protobuf/google/protobuf/any_pb.js') as {
  Any: new () => { pack(bytes: Uint8Array, name: string): void };
};

/** A message of either of two services that mean the same. */
export type ReadResp = InstanceType<Streams['ReadResp']>;
export type ReadReq = InstanceType<Streams['ReadReq']>;
export type AppendReq = InstanceType<Streams['AppendReq']>;
export type AppendResp = InstanceType<Streams['AppendResp']>;
export type BatchAppendReq = InstanceType<Streams['BatchAppendReq']>;
export type BatchAppendResp = InstanceType<Streams['BatchAppendResp']>;
export type DeleteReq = InstanceType<Streams['DeleteReq']>;
export type DeleteResp = InstanceType<Streams['DeleteResp']>;
export type TombstoneReq = InstanceType<Streams['TombstoneReq']>;
export type TombstoneResp = InstanceType<Streams['TombstoneResp']>;
