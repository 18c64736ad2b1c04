import type { State } from '../../../client/kinds.ts';
import { slugOf } from '../scene.ts';
import { isDone, type Outcome, type Stage } from '../stage.ts';
import { type Deliberate, type Difference, deliberate, sequelOf } from './differences.ts';
import { asCarriedOut, commandOf, isEchoOf, type Told } from './notifications.ts';
import {
  type Notification,
  type Recording,
  type Request,
  type Response,
  type Row,
  type Step,
  shownServer,
} from './recording.ts';
import { type Asked, commandsOf } from './requests.ts';
import { RowTrail, rowDifferences } from './rows.ts';
import { listHere, type Pair, rowText, serverPairs } from './shown.ts';

type Server = State<'server'>;

export interface Refused {
  readonly command: string;
  readonly status: number;
  readonly slug: string;
  /** What Nova answered. */
  readonly recorded: number;
  /** Whether that says the same. */
  readonly alike: boolean;
}

export interface Played {
  readonly recording: Recording;
  readonly serverIds: readonly string[];
  readonly commands: number;
  readonly refused: readonly Refused[];
  /** How many things were compared, of each sort. */
  readonly compared: Record<'answers' | 'servers' | 'lists' | 'rows', number>;
  readonly differences: readonly (Difference & { readonly reason: Deliberate | null })[];
}

/** Somebody who looks on, and is told of each recorded request when it is about to be made here. */
export type Onlooker = (request: Request, response: Response, step: Step) => Promise<void>;

/** Plays a recording: requests and notifications become commands, and what is to be seen after them is compared. */
export const playRecording = (
  stage: Stage,
  recording: Recording,
  onlooker: Onlooker = async () => {},
): Promise<Played> => new Play(stage, recording, onlooker).run();

class Play {
  readonly #stage: Stage;
  readonly #recording: Recording;
  readonly #onlooker: Onlooker;
  readonly #servers = new Map<string, Server>();
  readonly #recordedRows = new Map<string, RowTrail>();
  readonly #rowsHere = new Map<string, RowTrail>();
  readonly #refused: Refused[] = [];
  readonly #differences: Difference[] = [];
  readonly #compared = { answers: 0, servers: 0, lists: 0, rows: 0 };
  #commands = 0;
  #step: Step;

  constructor(stage: Stage, recording: Recording, onlooker: Onlooker) {
    this.#stage = stage;
    this.#recording = recording;
    this.#onlooker = onlooker;
    this.#step = recording.steps[0]!;
  }

  async run(): Promise<Played> {
    await this.#stage.passUntil(this.#recording.beginsAt);
    for (const step of this.#recording.steps) {
      this.#step = step;
      await this.#play(step);
    }
    this.#compareRows();
    return {
      recording: this.#recording,
      serverIds: [...this.#servers.keys()],
      commands: this.#commands,
      refused: this.#refused,
      compared: this.#compared,
      differences: this.#differences.map((difference) => ({
        ...difference,
        reason: deliberate.find(({ covers }) => covers(difference)) ?? null,
      })),
    };
  }

  /** What is told before a request has shown its effect came before it, or had another cause. */
  async #play(step: Step): Promise<void> {
    const { request, response, notifications } = step;
    const asked = request && response ? [...commandsOf(request, response)] : [];
    let isAnnounced = false;
    const announce = async (): Promise<void> => {
      if (request && response && !isAnnounced) await this.#onlooker(request, response, step);
      isAnnounced = true;
    };
    for (const notification of notifications) {
      await this.#passUntil(notification);
      const { serverId } = notification;
      const echoed = asked.findIndex((one) => one.serverId === serverId && isEchoOf(one.command, notification));
      if (echoed >= 0) {
        await announce();
        await this.#ask(asked.splice(echoed, 1)[0]!, request!, notification);
      }
      if (serverId !== null) await this.#hear(serverId, notification);
    }
    await announce();
    for (const one of asked) await this.#ask(one, request!);
    if (request && response) await this.#look(request, response);
  }

  async #passUntil({ at }: Notification): Promise<void> {
    if (at !== null) await this.#stage.passUntil(at);
  }

  async #hear(serverId: string, notification: Notification): Promise<void> {
    const server = this.#servers.get(serverId);
    if (!server) return;
    if (notification.type === 'instance.update') trailOf(this.#recordedRows, serverId).add(notification.row!);
    const told = commandOf(notification, server);
    if (told) await this.#tell(serverId, told, notification.requestId);
  }

  async #tell(serverId: string, { by, command }: Told, requestId: string | null): Promise<void> {
    const outcome = await this.#give(by, serverId, command, requestId);
    if (!isDone(outcome)) this.#differ('answer', 200, outcome.status, command.type);
  }

  async #ask({ serverId, command: given, answered }: Asked, { as }: Request, echo?: Notification): Promise<void> {
    const command = echo?.row ? asCarriedOut(given, echo.row) : given;
    const outcome = await this.#give(as, serverId, command, echo?.requestId ?? null);
    this.#compared.answers++;
    const alike = isAlike(outcome.status, answered);
    if (!isDone(outcome)) {
      this.#refused.push({ command: command.type, ...refusalOf(outcome), recorded: answered, alike });
    }
    if (!alike) {
      this.#differ('answer', answered, outcome.status, command.type);
      if (!isDone(outcome)) return;
      for (const told of sequelOf(command, outcome.state)) await this.#tell(serverId, told, null);
    }
  }

  async #give(by: string, serverId: string, command: Told['command'], requestId: string | null) {
    this.#commands++;
    const outcome = await this.#stage.give(by, { kind: 'server', id: serverId }, command, requestId ?? undefined);
    if (isDone(outcome)) {
      this.#servers.set(serverId, outcome.state);
      trailOf(this.#rowsHere, serverId).follow(outcome.events);
    }
    return outcome;
  }

  /** Looks where the recording looked: at a server, or at a list of them. */
  async #look(request: Request, response: Response): Promise<void> {
    if (request.path === '/servers/detail') {
      const here = listHere(request.query, [...this.#servers.values()], response);
      this.#compared.lists++;
      this.#compare({ name: 'list', recorded: response.listed ?? [], here });
      return;
    }
    const [, id] = /^\/servers\/([^/]+)(\/action)?$/.exec(request.path) ?? [];
    const shown = shownServer(response);
    const isRead = request.method === 'GET' && id !== undefined;
    if (!isRead && !shown) return;
    const outcome = await this.#stage.read({ kind: 'server', id: id! });
    if (isRead && !isAlike(outcome.status, response.status)) {
      this.#differ('answer', response.status, outcome.status, null);
    }
    if (isRead) this.#compared.answers++;
    if (!shown || !isDone(outcome)) return;
    this.#compared.servers++;
    for (const pair of serverPairs(shown, outcome.state, response)) this.#compare(pair);
  }

  #compare({ name, recorded, here }: Pair): void {
    if (JSON.stringify(recorded) !== JSON.stringify(here)) this.#differ(name, recorded, here, null);
  }

  #differ(about: string, recorded: unknown, here: unknown, command: string | null): void {
    const { number, label } = this.#step;
    this.#differences.push({
      recording: this.#recording.name,
      step: { number, label },
      about,
      command,
      recorded,
      here,
    });
  }

  #compareRows(): void {
    for (const [id, trail] of this.#rowsHere) {
      const recorded = this.#recordedRows.get(id)?.rows ?? [];
      this.#compared.rows += recorded.length;
      for (const difference of rowDifferences(withFirst(recorded, trail.rows), trail)) {
        this.#differences.push({
          recording: this.#recording.name,
          step: null,
          about: 'row',
          command: null,
          recorded: difference.recorded && rowText(difference.recorded),
          here: difference.here && rowText(difference.here),
        });
      }
    }
  }
}

/** The first row is written before anybody is told of rows. */
const withFirst = (recorded: readonly Row[], [first]: readonly Row[]): readonly Row[] =>
  first && recorded[0]?.taskState !== 'scheduling' ? [first, ...recorded] : recorded;

function trailOf(trails: Map<string, RowTrail>, serverId: string): RowTrail {
  const trail = trails.get(serverId) ?? new RowTrail();
  trails.set(serverId, trail);
  return trail;
}

/** Nova's answers that say the same as one here: done; wrong; not yours; not found or not any more; not now. */
const sameAnswers: Readonly<Record<number, readonly number[]>> = {
  200: [200, 201, 202, 204],
  400: [400],
  403: [403],
  404: [404],
  410: [404],
  409: [409, 422],
};

const isAlike = (here: number, recorded: number): boolean => sameAnswers[here]?.includes(recorded) ?? false;

const refusalOf = (outcome: Outcome): { status: number; slug: string } => {
  if (isDone(outcome)) throw new Error('not refused');
  return { status: outcome.status, slug: slugOf(outcome.problem.type) };
};
