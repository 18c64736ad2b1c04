import { isAlive } from '../../../src/domain/kernel/aggregate.ts';
import type { Node } from '../../../src/domain/node/state.ts';
import type { Port } from '../../../src/domain/port/state.ts';
import type { Server } from '../../../src/domain/server/state.ts';
import { type Act, agent, bareMetal, hosts, maybe, servers, user } from './actor.ts';

export const createServer: Act = ({ random, witness, give }) => {
  const id = random.oneOf(servers);
  const own = witness.living<Port>('port').filter(({ deviceId }) => deviceId === id);
  if (witness.past(`server-${id}`)?.state) return;
  give(user('tenant'), 'server', id, 'CreateServer', { ports: own.map((port) => port.id) });
};

const building = (server: Server): boolean => server.vmState === 'building' && server.operation === null;

/** The scheduler finds a host, or a node, or no room; sometimes two schedulers find different ones. */
export const schedule: Act = ({ random, witness, give }) => {
  const id = random.oneOf(servers);
  const server = witness.stateOf<Server>('server', id);
  if (!server || !building(server) || server.build?.attempt) return;
  const scheduler = agent('scheduler');
  const free = witness.living<Node>('node').find((node) => node.provisionState === 'available' && !node.instanceId);
  if (maybe(random, 0.3)) {
    give(scheduler, 'server', id, 'ReportBuildFailure', { reason: 'NoValidHost', message: 'no host has room' });
  } else if (bareMetal.includes(id)) {
    if (free) give(scheduler, 'server', id, 'ServerScheduled', { host: 'ironic', nodeId: free.id });
  } else {
    for (const host of maybe(random, 0.1) ? hosts : [random.oneOf(hosts)])
      give(scheduler, 'server', id, 'ServerScheduled', { host });
  }
};

/** The compute builds. Of a server on a node it only prepares the ground; the node does the rest. */
export const build: Act = ({ random, witness, give }) => {
  const id = random.oneOf(servers);
  const server = witness.stateOf<Server>('server', id);
  if (!server || !building(server) || !server.build?.attempt) return;
  const compute = agent(`nova on ${server.host}`);
  const { attempt } = server.build;
  if (server.taskState !== 'spawning')
    give(compute, 'server', id, 'ReportBuildProgress', {
      taskState: random.oneOf(['networking', 'spawning']),
      attempt,
    });
  else if (maybe(random, 0.2))
    give(compute, 'server', id, 'ReportBuildFailure', {
      reason: 'RescheduledException',
      message: 'qemu died',
      attempt,
    });
  else if (!server.nodeId) give(compute, 'server', id, 'ReportBuildSuccess', { powerState: 1, attempt });
};

/** Workers carry out what was asked of servers on ordinary hosts, or die over it. */
export const performAction: Act = ({ random, witness, give }) => {
  const id = random.oneOf(servers);
  const server = witness.stateOf<Server>('server', id);
  if (!server?.operation) return;
  const { action, id: operationId } = server.operation;
  const compute = agent(`nova on ${server.host}`);
  const about = { action, operationId };
  if (server.nodeId || maybe(random, 0.3)) return;
  if (maybe(random, 0.2))
    give(compute, 'server', id, 'ReportActionFailure', { ...about, reason: 'LibvirtError', message: 'no domain' });
  else give(compute, 'server', id, 'ReportActionSuccess', about);
};

export const restartCompute: Act = ({ random, give }) => {
  const host = random.oneOf(hosts);
  give(agent(`nova on ${host}`), 'server', random.oneOf(servers), 'ReportComputeRestart', { host });
};

const wishes = ['StopServer', 'StartServer', 'RebootServer', 'RebuildServer', 'RescueServer', 'UnrescueServer'];

/** Users want something of their servers, also at bad moments. */
export const wishOfServer: Act = ({ random, witness, give }) => {
  const id = random.oneOf(servers);
  if (!isAlive(witness.past(`server-${id}`)?.state ?? null)) return;
  if (maybe(random, 0.15)) give(user('tenant'), 'server', id, random.oneOf(['DeleteServer', 'ForceDeleteServer']));
  else if (maybe(random, 0.05))
    give(user('admin'), 'server', id, 'ResetServerState', { state: random.oneOf(['active', 'error']) });
  else give(user('tenant'), 'server', id, random.oneOf(wishes));
};

/** Reapers make room for servers that wait for it, and are in each other's way. */
export const reap: Act = ({ random, witness, give }) => {
  const id = random.oneOf(servers);
  const server = witness.stateOf<Server>('server', id);
  if (server?.vmState !== 'pending') return;
  const holder = random.oneOf(['reaper-1', 'reaper-2']);
  const type = random.oneOf(['ClaimPendingServer', 'RebuildServer', 'RebuildServer', 'ReleasePendingClaim']);
  give(agent(holder), 'server', id, type, { holder });
};
