import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { actions as serverActions } from '../../../domain/server/actions.ts';
import { obstacleTo } from '../../../domain/server/guards.ts';
import type { DoneTo } from '../resources.ts';
import { baseUrl, forRole } from '../service.ts';
import { addressesOf } from './addresses.ts';
import { checked } from './body.ts';
import { badRequest, knows, obstructed } from './faults.ts';
import { isForHypervisor, refuseForHypervisor } from './hypervisor-actions.ts';
import { commandServer, serverWith } from './one-server.ts';
import { serverShown } from './server-shown.ts';
import type { ServerState } from './server-state.ts';

interface Action {
  readonly command: string;
  /** What Nova takes under the action's name. */
  readonly takes: z.ZodType;
  /** The command's data out of it. */
  readonly data?: (given: Given) => object;
  /** Where it is not 202. */
  readonly status?: 204;
  readonly answer?: (request: FastifyRequest, done: DoneTo<ServerState>) => Promise<object>;
}
type Given = Readonly<Record<string, unknown>>;

const nothing = z.unknown();
const simple = (command: string, status?: 204): Action => ({ command, takes: nothing, ...(status && { status }) });
const HostOnly = z.looseObject({ host: z.string().nullable().optional() }).nullable();
const toHost = (given: Given | null): object => (typeof given?.host === 'string' ? { host: given.host } : {});
const Image = z.looseObject({ name: z.string().min(1).max(255) });

const rebuilt: Action['answer'] = async (request, { state }) => ({
  server: serverShown(request, state, await addressesOf(request.resources, state)),
});

/** Images are made elsewhere. The id under which this one was asked for is that of the event. */
const imaged: Action['answer'] = async (request, { events, state }) => {
  const id = events[0]?.id ?? state.id;
  return knows(request, 45) ? { image_id: id } : {};
};

/** `POST /servers/{id}/action`: the one member of the body names the action. */
const actions: Readonly<Record<string, Action>> = {
  'os-start': simple('StartServer'),
  'os-stop': simple('StopServer'),
  reboot: { command: 'RebootServer', takes: z.strictObject({ type: z.string() }), data: rebootType },
  pause: simple('PauseServer'),
  unpause: simple('UnpauseServer'),
  suspend: simple('SuspendServer'),
  resume: simple('ResumeServer'),
  rescue: {
    command: 'RescueServer',
    takes: z.looseObject({ rescue_image_ref: z.string().optional() }).nullable(),
    data: (given) => (given?.rescue_image_ref === undefined ? {} : { imageRef: given.rescue_image_ref }),
  },
  unrescue: simple('UnrescueServer'),
  rebuild: {
    command: 'RebuildServer',
    takes: z.looseObject({ imageRef: z.string() }),
    data: ({ imageRef }) => ({ imageRef }),
    answer: rebuilt,
  },
  evacuate: { command: 'EvacuateServer', takes: HostOnly, data: toHost },
  resize: {
    command: 'ResizeServer',
    takes: z.looseObject({ flavorRef: z.union([z.string(), z.number()]) }),
    data: ({ flavorRef }) => ({ flavorRef: String(flavorRef) }),
  },
  confirmResize: simple('ConfirmResize', 204),
  revertResize: simple('RevertResize'),
  migrate: { command: 'MigrateServer', takes: HostOnly, data: toHost },
  'os-migrateLive': { command: 'LiveMigrateServer', takes: HostOnly, data: toHost },
  shelve: simple('ShelveServer'),
  shelveOffload: simple('ShelveOffloadServer'),
  unshelve: { command: 'UnshelveServer', takes: HostOnly, data: toHost },
  changePassword: { ...simple('ChangePassword'), takes: z.strictObject({ adminPass: z.string() }), data: () => ({}) },
  createImage: { command: 'CreateImage', takes: Image, data: ({ name }) => ({ name }), answer: imaged },
  createBackup: { command: 'CreateBackup', takes: Image, data: ({ name }) => ({ name }), answer: imaged },
  forceDelete: simple('ForceDeleteServer'),
  restore: simple('RestoreServer'),
  lock: {
    command: 'LockServer',
    takes: z.looseObject({ locked_reason: z.string().max(255).optional() }).nullable(),
    data: (given) => (given?.locked_reason === undefined ? {} : { reason: given.locked_reason }),
  },
  unlock: simple('UnlockServer'),
  'os-resetState': {
    command: 'ResetServerState',
    takes: z.strictObject({ state: z.enum(['active', 'error']) }),
    data: ({ state }) => ({ state }),
  },
};

function rebootType({ type }: Given): object {
  const wanted = String(type).toUpperCase();
  if (wanted !== 'SOFT' && wanted !== 'HARD') throw badRequest(`Argument 'type' for reboot is not HARD or SOFT`);
  return { type: wanted };
}

export function actionRoutes(scope: FastifyInstance): void {
  scope.post<{ Params: { id: string } }>('/v2.1/servers/:id/action', forRole('reader'), async (request, reply) => {
    const { name, given } = actionIn(request);
    if (isForHypervisor(name)) {
      refuseForHypervisor(request, await serverWith(request.resources, request.params.id), name);
    }
    const { command, takes, data, status = 202, answer } = actions[name]!;
    const arguments_ = checked(takes, given, name);
    const { id } = await serverWith(request.resources, request.params.id);
    const members = data?.(arguments_ as Given) ?? {};
    const done = await commandServer(request, id, command, members);
    if (done.events.length === 0) refuseRepeated(command, done);
    if (name === 'createImage' || name === 'createBackup') pointToImage(request, reply, done);
    return reply.code(status).send(await answer?.(request, done));
  });
}

/** What is under way already is done as far as the ledger is concerned; Nova's clients expect to hear of a conflict. */
function refuseRepeated(command: string, { state: server }: DoneTo<ServerState>): void {
  for (const { command: known, guard } of Object.values(serverActions)) {
    const obstacle = known === command ? obstacleTo(server, guard, {}) : null;
    if (obstacle) throw obstructed(server.id, guard.verb, obstacle);
  }
}

function pointToImage(request: FastifyRequest, reply: FastifyReply, { events }: DoneTo<ServerState>): void {
  if (events[0]) reply.header('location', `${baseUrl(request)}/image/v2/images/${events[0].id}`);
}

/** @throws Fault where the body names none, several, or one that is not there */
function actionIn({ body }: FastifyRequest): { name: string; given: unknown } {
  const [entry, ...others] = Object.entries((body ?? {}) as object);
  if (!entry || others.length > 0) throw badRequest('The body must hold one action.');
  const [name, given] = entry;
  if (!Object.hasOwn(actions, name) && !isForHypervisor(name)) throw badRequest(`There is no such action: ${name}`);
  return { name, given };
}
