import { portToServer } from '../flows/port-to-server.ts';
import { isAlive } from '../kernel/aggregate.ts';
import type { Port } from '../port/state.ts';
import { deviceOf } from './device.ts';
import { type Explainer, type HintDraft, remedy } from './explainer.ts';
import { restless } from './restless.ts';
import { latest, ref, type World } from './world.ts';

const self = ({ id }: Port) => ref('port', id);

const note = (what: string, summary: string, since: string, proof: HintDraft['proof']): HintDraft => ({
  what,
  kind: 'note',
  summary,
  since,
  proof,
  command: null,
});

/** What does not keep a port from being ACTIVE, and is worth a look. */
export const portHints: Explainer<Port>['hints'] = {
  earlyReports: (port) =>
    port.earlyReports.map(({ host, at }) =>
      note('early-report', `${host} has wired it already; that counts when it is bound there.`, at, [
        { on: self(port), types: ['DeviceUpReported'], at, where: (data) => data.host === host },
      ]),
    ),

  ignoredReports: (port) =>
    port.ignoredReports.map(({ report, host, at }) =>
      note('ignored-report', `${host} sent ${report}, which does not count: the port is not bound there.`, at, [
        { on: self(port), types: ['ReportIgnored'], at, where: (data) => data.host === host },
      ]),
    ),

  otherBindings: (port) =>
    port.otherBindings.map(({ host, since, migration }): HintDraft => {
      const proof = [{ on: self(port), types: ['BindingAdded', 'BindingActivated'], at: since }];
      if (migration && migration.endedAt === null) {
        return note(
          'inactive-binding',
          `A binding on ${host} is prepared for the migration ${migration.id}.`,
          since,
          proof,
        );
      }
      const whose = migration ? `the migration ${migration.id}, which has ${migration.outcome}` : 'no migration';
      return {
        what: 'leftover-binding',
        kind: 'leftover',
        summary: `An INACTIVE binding on ${host} belongs to ${whose}; it keeps the port from being migrated there.`,
        since: migration?.endedAt ?? since,
        proof,
        command: remedy(self(port), 'RemoveBinding', { host }),
      };
    }),

  device(port, world) {
    const device = deviceOf(port);
    const state = device && world.stateOf(device);
    return device && state ? [...gone(port, device, state), ...disagreement(port, world)] : [];
  },

  novaRefused(port, world) {
    const { refusedNotification: refused } = port;
    if (!refused || isToldSince(port, world, refused.revision)) return [];
    const { server, name, status, code, detail, at } = refused;
    const answer = code === null ? detail : `${code}, ${detail}`;
    return [
      {
        what: 'notification-refused',
        kind: 'contradiction',
        summary: `Nova was told ${name}${status === undefined ? '' : ` (${status})`} for the server ${server}, and refused it: ${answer}. It is not told again unasked.`,
        since: at,
        proof: [{ on: self(port), types: ['NotificationRefused'], at }],
        command: remedy(self(port), 'RepeatNotification'),
      },
    ];
  },

  outsideView: (port) =>
    port.observation?.unexpected
      ? [
          {
            what: 'unexpected-observation',
            kind: 'contradiction',
            summary: `${port.observation.source} said it was ${port.observation.status}; the rules would not have led there.`,
            since: port.observation.at,
            proof: [{ on: self(port), types: ['PortObserved'], at: port.observation.at }],
            command: null,
          },
        ]
      : [],

  restless: (port, world) => restless(world, self(port), 'PortStatusChanged', ({ to }) => String(to)),
};

/** Something newer was on its way to Nova when it refused. */
const isToldSince = (port: Port, world: World, revision: number): boolean =>
  (latest(world, self(port), portToServer.types)?.revision ?? -1) > revision;

function gone(
  port: Port,
  device: NonNullable<ReturnType<typeof deviceOf>>,
  state: { deletedAt?: string },
): HintDraft[] {
  if (isAlive(state as Port)) return [];
  return [
    {
      what: 'device-deleted',
      kind: 'leftover',
      summary: `It still belongs to the ${device.kind} ${device.id}, which was deleted.`,
      since: state.deletedAt!,
      proof: [{ on: device, types: [device.kind === 'server' ? 'ServerDeleted' : 'NodeDeleted'] }],
      command: remedy(self(port), 'UpdatePort', { deviceId: '', deviceOwner: '', host: null }),
    },
  ];
}

/** The server and the port tell different stories. While the server moves, they may. */
function disagreement(port: Port, world: World): HintDraft[] {
  const device = deviceOf(port);
  const server = device?.kind === 'server' ? world.stateOf(ref('server', device.id)) : null;
  if (!server || !isAlive(server) || server.operation || server.build) return [];
  const hints: HintDraft[] = [];
  if (!server.ports.includes(port.id)) {
    hints.push({
      what: 'server-does-not-know-port',
      kind: 'contradiction',
      summary: `It belongs to the server ${server.id}, which does not count it among its ports.`,
      since: port.updatedAt,
      proof: [{ on: self(port), types: ['PortCreated', 'PortUpdated'], where: namesDevice }],
      command: remedy(ref('server', server.id), 'AttachInterface', { portId: port.id }),
    });
  }
  if (server.host !== null && port.binding.host !== null && server.host !== port.binding.host) {
    hints.push({
      what: 'host-differs',
      kind: 'contradiction',
      summary: `It is bound to ${port.binding.host}, while its server is on ${server.host}.`,
      since: port.binding.since,
      proof: [
        { on: self(port), types: ['BindingRequested', 'BindingActivated'] },
        { on: ref('server', server.id), types: ['ServerMoved', 'ServerDiscovered'] },
      ],
      command: remedy(self(port), 'BindPort', { host: server.host }),
    });
  }
  return hints;
}

const namesDevice = (data: Readonly<Record<string, unknown>>): boolean =>
  ((data.changes ?? data) as { deviceId?: string }).deviceId !== undefined;
