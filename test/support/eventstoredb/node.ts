import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { status as grpcStatus, Server, ServerCredentials, type UntypedHandleCall } from '@grpc/grpc-js';
import type { EventLog } from './event-log.ts';
import { failure, notLeader, notReady, uuidOf } from './messages.ts';
import type { CallKind, Mischief } from './mischief.ts';
import { features, GossipService, gossip, ServerFeaturesService } from './protocol.ts';
import type { AppendOutcome } from './record.ts';
import { type StreamsHost, streamsService } from './streams-service.ts';

/** What a node needs of its cluster. */
export interface Membership {
  readonly log: EventLog;
  readonly version: string;
  readonly maxAppendBytes: number;
  readonly members: readonly ClusterNode[];
  leader(): ClusterNode | null;
  mischief(call: CallKind): Mischief | undefined;
  write(change: (log: EventLog) => AppendOutcome): Promise<AppendOutcome>;
}

export type Condition = 'running' | 'killed' | 'frozen' | 'cut-off';

const host = '127.0.0.1';
const memberStates = { follower: 6, leader: 8, unknown: 2 } as const;

/** One node: a gRPC server on a port of its own, which it keeps when it is started again. */
export class ClusterNode implements StreamsHost {
  readonly instanceId = randomUUID();
  readonly #cluster: Membership;
  #server = new Server();
  #thaw: (() => void) | null = null;
  #thawed: Promise<void> = Promise.resolve();
  port = 0;
  condition: Condition = 'running';

  constructor(cluster: Membership) {
    this.#cluster = cluster;
  }

  get log(): EventLog {
    return this.#cluster.log;
  }

  get maxAppendBytes(): number {
    return this.#cluster.maxAppendBytes;
  }

  get tellsFellBehind(): boolean {
    return !this.#cluster.version.startsWith('23.');
  }

  get address(): string {
    return `${host}:${this.port}`;
  }

  async start(): Promise<void> {
    this.#server = new Server({ 'grpc.max_receive_message_length': 32 * 1024 * 1024 });
    const { definition, handlers } = streamsService(this);
    this.#server.addService(definition, handlers);
    this.#server.addService(GossipService, { read: this.#open('gossip', () => this.#clusterInfo()) });
    this.#server.addService(ServerFeaturesService, {
      getSupportedMethods: this.#open('features', () => this.#supportedMethods()),
    });
    this.port = await new Promise<number>((resolve, reject) =>
      this.#server.bindAsync(`${host}:${this.port}`, ServerCredentials.createInsecure(), (error, port) =>
        error ? reject(error) : resolve(port),
      ),
    );
    this.condition = 'running';
  }

  kill(): void {
    this.thaw();
    this.condition = 'killed';
    this.#server.forceShutdown();
  }

  freeze(): void {
    this.condition = 'frozen';
    this.#thawed = new Promise((resolve) => (this.#thaw = resolve));
  }

  /** Cut off from the other nodes; clients still reach it. */
  cutOff(): void {
    this.condition = 'cut-off';
  }

  thaw(): void {
    this.condition = 'running';
    this.#thaw?.();
    this.#thaw = null;
  }

  thawed(): Promise<void> {
    return this.#thawed;
  }

  async admit(call: CallKind, requiresLeader: boolean): Promise<Mischief | undefined> {
    await this.#thawed;
    const mischief = this.#cluster.mischief(call);
    if (mischief?.kind === 'slow') await pause(mischief.ms);
    if (mischief?.kind === 'fail') throw mischief.failure;
    const leader = this.#cluster.leader();
    const writes = call === 'append' || call === 'delete';
    if (leader === this || (!requiresLeader && !writes)) return mischief;
    if (!leader || this.condition === 'cut-off') throw notReady();
    // A write that does not insist on the leader is passed on to it.
    if (requiresLeader) throw notLeader(host, leader.port);
    return mischief;
  }

  write(change: (log: EventLog) => AppendOutcome): Promise<AppendOutcome> {
    return this.#cluster.write(change);
  }

  /** A call that any node answers. */
  #open(call: CallKind, content: () => object): UntypedHandleCall {
    const handle = async (): Promise<object> => {
      await this.#thawed;
      const mischief = this.#cluster.mischief(call);
      if (mischief?.kind === 'slow') await pause(mischief.ms);
      if (mischief?.kind === 'fail') throw mischief.failure;
      if (mischief?.kind === 'dropped') throw failure(grpcStatus.UNAVAILABLE, 'Connection dropped');
      if (mischief?.kind === 'silent' || mischief?.kind === 'unanswered') await new Promise(() => {});
      return content();
    };
    const answered = (_: unknown, answer: (error: unknown, content?: object) => void): void =>
      void handle().then((result) => answer(null, result), answer);
    return answered as UntypedHandleCall;
  }

  #clusterInfo(): object {
    const info = new gossip.ClusterInfo();
    const leader = this.#cluster.leader();
    for (const member of this.#cluster.members) {
      const endpoint = new gossip.EndPoint();
      endpoint.setAddress(host);
      endpoint.setPort(member.port);
      const message = new gossip.MemberInfo();
      message.setInstanceId(uuidOf(member.instanceId));
      message.setTimeStamp(String(Date.now() * 10_000));
      message.setIsAlive(member.condition === 'running' || member === this);
      message.setState(memberStates[leader === null ? 'unknown' : member === leader ? 'leader' : 'follower']);
      message.setHttpEndPoint(endpoint);
      info.addMembers(message);
    }
    return info;
  }

  #supportedMethods(): object {
    const methods = new features.SupportedMethods();
    methods.setEventStoreServerVersion(this.#cluster.version);
    for (const name of ['read', 'append', 'batchappend', 'delete', 'tombstone']) {
      const method = new features.SupportedMethod();
      method.setServiceName('event_store.client.streams.streams');
      method.setMethodName(name);
      methods.addMethods(method);
    }
    return methods;
  }
}
