import type { Command } from '../../../client/kinds.ts';
import type { Request, Response } from './recording.ts';

/** A command that a request to Nova stands for, and the server it goes to. */
export interface Asked {
  readonly serverId: string;
  readonly command: Command<'server'>;
  /** What Nova answered to this part of the request. */
  readonly answered: number;
}

interface Route {
  readonly method: Request['method'];
  readonly path: RegExp;
  readonly ask: (serverId: string, request: Request, response: Response) => readonly Asked[];
}

type Body = Readonly<Record<string, unknown>>;

/** A request about one server that is one command. */
const toServer =
  (command: (body: Body) => Command<'server'> | null): Route['ask'] =>
  (serverId, { body }, { status: answered }) => {
    const given = command((body ?? {}) as Body);
    return given ? [{ serverId, command: given, answered }] : [];
  };

const nothing = (type: PlainAction) => (): Command<'server'> => ({ type, data: {} });
type PlainAction = Extract<Command<'server'>, { data: Record<string, never> }>['type'];

/** Without the members that were left out or null. */
const textual = <T extends object>(given: T): { [K in keyof T]?: string } =>
  Object.fromEntries(Object.entries(given).filter(([, value]) => typeof value === 'string')) as {
    [K in keyof T]?: string;
  };

/** The action is the only member of the body; its value holds the arguments. An action that is not here is no command. */
const actions: Readonly<Record<string, (given: Body) => Command<'server'>>> = {
  'os-stop': nothing('StopServer'),
  'os-start': nothing('StartServer'),
  reboot: ({ type }) => ({ type: 'RebootServer', data: { type: type as 'SOFT' | 'HARD' } }),
  pause: nothing('PauseServer'),
  unpause: nothing('UnpauseServer'),
  suspend: nothing('SuspendServer'),
  resume: nothing('ResumeServer'),
  rescue: ({ rescue_image_ref: imageRef }) => ({ type: 'RescueServer', data: textual({ imageRef }) }),
  unrescue: nothing('UnrescueServer'),
  rebuild: ({ imageRef }) => ({ type: 'RebuildServer', data: { imageRef: imageRef as string } }),
  evacuate: ({ host }) => ({ type: 'EvacuateServer', data: textual({ host }) }),
  resize: ({ flavorRef }) => ({ type: 'ResizeServer', data: { flavorRef: flavorRef as string } }),
  migrate: ({ host }) => ({ type: 'MigrateServer', data: textual({ host }) }),
  confirmResize: nothing('ConfirmResize'),
  revertResize: nothing('RevertResize'),
  'os-migrateLive': ({ host }) => ({ type: 'LiveMigrateServer', data: textual({ host }) }),
  shelve: nothing('ShelveServer'),
  shelveOffload: nothing('ShelveOffloadServer'),
  unshelve: ({ host }) => ({ type: 'UnshelveServer', data: textual({ host }) }),
  changePassword: nothing('ChangePassword'),
  createImage: ({ name }) => ({ type: 'CreateImage', data: { name: name as string } }),
  createBackup: ({ name }) => ({ type: 'CreateBackup', data: { name: name as string } }),
  restore: nothing('RestoreServer'),
  forceDelete: nothing('ForceDeleteServer'),
  lock: ({ locked_reason: reason = null }) => ({ type: 'LockServer', data: { reason: reason as string | null } }),
  unlock: nothing('UnlockServer'),
  'os-resetState': ({ state }) => ({ type: 'ResetServerState', data: { state: state as 'active' | 'error' } }),
};

function actionOf(body: Body): Command<'server'> | null {
  const [name = '', given] = Object.entries(body)[0] ?? [];
  return actions[name]?.((given ?? {}) as Body) ?? null;
}

function creation({ body, as }: Request, response: Response): readonly Asked[] {
  const { id } = (response.body as { server?: { id: string } } | null)?.server ?? {};
  if (id === undefined) return [];
  const { name, imageRef, flavorRef, tags, metadata } = (body as { server: Record<string, never> }).server;
  const attributes = { name, imageRef, flavorRef, tags, metadata, userId: as };
  return [{ serverId: id, command: { type: 'CreateServer', data: attributes }, answered: response.status }];
}

/** The minor number of the microversion that brought a name. One that is older than the name does not know it. */
const newerNames: Readonly<Record<string, number>> = {
  'volume-extended': 51,
  'power-update': 76,
  'accelerator-request-bound': 82,
  'volume-reimaged': 93,
};

/** Each event of the request goes to its own server, right or wrong as it was. One that names no server goes nowhere. */
function externalEvents({ body }: Request, response: Response): readonly Asked[] {
  const { events } = body as { events: Record<string, string>[] };
  const answers = (response.body as { events?: { code: number }[] } | null)?.events;
  return events.flatMap(({ server_uuid: serverId, ...data }, index) => {
    const unheardOf = response.microversion < (newerNames[data.name!] ?? 0);
    if (serverId === undefined || unheardOf) return [];
    const command = { type: 'ReceiveExternalEvent', data } as unknown as Command<'server'>;
    return [{ serverId, command, answered: answers?.[index]?.code ?? response.status }];
  });
}

const change = (path: string, pick: (body: Body) => object): Route => ({
  method: 'PUT',
  path: new RegExp(`^/servers/([^/]+)${path}$`),
  ask: toServer((body) => ({ type: 'UpdateServer', data: pick(body) })),
});

const routes: readonly Route[] = [
  { method: 'POST', path: /^\/servers$()/, ask: (_id, request, response) => creation(request, response) },
  { method: 'POST', path: /^\/servers\/([^/]+)\/action$/, ask: toServer(actionOf) },
  { method: 'DELETE', path: /^\/servers\/([^/]+)$/, ask: toServer(nothing('DeleteServer')) },
  change('', ({ server }) => server as object),
  change('/tags', ({ tags }) => ({ tags })),
  change('/metadata', ({ metadata }) => ({ metadata })),
  {
    method: 'POST',
    path: /^\/os-server-external-events$()/,
    ask: (_id, request, response) => externalEvents(request, response),
  },
];

/** The commands that a request stands for; none where it only reads, or asks for what no ledger does. */
export function commandsOf(request: Request, response: Response): readonly Asked[] {
  const route = routes.find(({ method, path }) => method === request.method && path.test(request.path));
  return route ? route.ask(route.path.exec(request.path)![1]!, request, response) : [];
}
