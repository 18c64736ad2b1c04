/** The protocol as the client's package ships it: messages and service definitions, with the library they were made for. */

import { fromItsLibrary, type Streams, shipped } from '../../../src/store/eventstoredb/protocol.ts';

export { StreamsService, shared, streams } from '../../../src/store/eventstoredb/protocol.ts';

type Gossip = typeof import('@eventstore/db-client/generated/gossip_pb.js');
type Features = typeof import('@eventstore/db-client/generated/serverfeatures_pb.js');
type Status = typeof import('@eventstore/db-client/generated/status_pb.js');
type GossipGrpc = typeof import('@eventstore/db-client/generated/gossip_grpc_pb.js');
type FeaturesGrpc = typeof import('@eventstore/db-client/generated/serverfeatures_grpc_pb.js');

export const gossip = shipped('generated/gossip_pb') as Gossip;
export const features = shipped('generated/serverfeatures_pb') as Features;
export const status = shipped('generated/status_pb') as Status;
export const { GossipService } = shipped('generated/gossip_grpc_pb') as GossipGrpc;
export const { ServerFeaturesService } = shipped('generated/serverfeatures_grpc_pb') as FeaturesGrpc;

export const { Any } = fromItsLibrary('google-protobuf/google/protobuf/any_pb.js') as {
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
