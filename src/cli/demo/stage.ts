import { randomBytes } from 'node:crypto';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { Role } from '../../api/access/roles.ts';
import { hashToken } from '../../api/access/tokens.ts';
import type { AnsweredEvent, HistoryEntry } from '../../client/answers.ts';
import type { BulkCommand } from '../../client/bulk.ts';
import { type Client, createClient } from '../../client/client.ts';
import { type Problem, ProblemError } from '../../client/errors.ts';
import type { Command, Kind, State } from '../../client/kinds.ts';
import type { Resource } from '../../client/resource.ts';
import { loadConfig } from '../../config.ts';
import { type ResourceRef, resourceOf, streamOf } from '../../domain/kernel/resource.ts';
import { type Stackledger, startStackledger } from '../../main.ts';
import { startPosition } from '../../store/event-store.ts';
import { UsageError } from '../failure.ts';

/** How the site is set up on which a scene is played. */
export interface StageSettings {
  readonly usePendingState?: boolean;
  readonly vifPluggingIsFatal?: boolean;
}

/** Who acts in a play, by name, and what they may do. */
export type Cast = Readonly<Record<string, Role>>;

/** Reads, and moves the clock. */
const director = 'director';
const readsAtATime = 16;
/** The HTTP status of what was deleted. */
const gone = 410;
/** How long, and how often, to look for what somebody outside the play does. */
const patienceMs = 30_000;
const pollMs = 50;

/** What became of a command. */
export type Outcome<K extends Kind = Kind> =
  | { readonly status: 200; readonly events: readonly AnsweredEvent[]; readonly state: State<K> }
  | { readonly status: number; readonly problem: Problem };

export const isDone = <K extends Kind>(outcome: Outcome<K>): outcome is Extract<Outcome<K>, { status: 200 }> =>
  'state' in outcome;

/**
 * A server of the demo's own, on a ledger of its own whose time stands still until the play moves it. Everybody who acts
 * in the play has a token, as on a real site.
 */
export class Stage {
  readonly ledger: string;
  readonly storeUrl: string;
  readonly #folder: string;
  readonly #keeps: boolean;
  readonly #tokens: ReadonlyMap<string, string>;
  readonly #clients = new Map<string, Client>();
  /** The JSON text of each resource's last known state. */
  readonly #states = new Map<string, string>();
  #server: Stackledger | null = null;
  #now = 0;
  commands = 0;

  /**
   * @param keepAs the file where the ledger is to stay; without it, it goes with the demo
   * @param store URL of the empty ledger to play on, where it is none of these
   */
  constructor(cast: Cast, keepAs?: string, store?: string) {
    this.#keeps = (store ?? keepAs) !== undefined;
    if (keepAs !== undefined && existsSync(keepAs)) {
      throw new UsageError(`${keepAs} is there already, and the demo begins with an empty ledger. Name another file.`);
    }
    this.#folder = mkdtempSync(join(tmpdir(), 'stackledger-demo-'));
    const file = keepAs === undefined ? join(this.#folder, 'ledger.db') : resolve(keepAs);
    this.ledger = store ?? file;
    this.storeUrl = store ?? `sqlite:${file}`;
    const everybody = Object.entries<Role>({ ...cast, [director]: 'admin' });
    this.#tokens = new Map(everybody.map(([name]) => [name, randomBytes(24).toString('base64url')]));
    const tokens = everybody.map(([name, role]) => ({
      name,
      sha256: hashToken(this.#tokens.get(name)!),
      roles: [role],
    }));
    writeFileSync(this.#tokensFile, JSON.stringify({ tokens }), { mode: 0o600 });
  }

  get #tokensFile(): string {
    return join(this.#folder, 'tokens.json');
  }

  /** Starts the server, on the ledger as it was left. */
  async open({ usePendingState = false, vifPluggingIsFatal = true }: StageSettings = {}): Promise<void> {
    const flags = {
      host: '127.0.0.1',
      port: '0',
      store: this.storeUrl,
      clock: 'manual',
      'tokens-file': this.#tokensFile,
      'use-pending-state': String(usePendingState),
      'vif-plugging-is-fatal': String(vifPluggingIsFatal),
      'log-level': 'error',
    };
    const args = Object.entries(flags).map(([name, value]) => `--${name}=${value}`);
    this.#server = await startStackledger(loadConfig(args, {}));
    this.#now = Date.parse(await this.#moveClock('PT0S'));
  }

  /** Stops the server. */
  async close(): Promise<void> {
    await this.#server?.stop();
    this.#server = null;
    this.#clients.clear();
  }

  /** Takes away what the demo leaves behind, whether or not it came to its end. */
  clear(): void {
    rmSync(this.#folder, { recursive: true, force: true });
  }

  get keeps(): boolean {
    return this.#keeps;
  }

  /** The time on the stage. */
  get now(): string {
    return new Date(this.#now).toISOString();
  }

  /** Lets time pass until then, with everything that is due in between. What lies in the past changes nothing. */
  async passUntil(time: string): Promise<void> {
    await this.pass(Date.parse(time) - this.#now);
  }

  async pass(milliseconds: number): Promise<void> {
    if (milliseconds > 0) this.#now = Date.parse(await this.#moveClock(`PT${milliseconds / 1000}S`));
  }

  async #moveClock(duration: string): Promise<string> {
    return (await this.client(director).clock.advance(duration)).now;
  }

  /** Gives a command as somebody of the play. A refusal is an answer. */
  async give<K extends Kind>(
    by: string,
    resource: ResourceRef & { readonly kind: K },
    command: Command<K>,
    correlationId?: string,
  ): Promise<Outcome<K>> {
    const idempotencyKey = `demo-${++this.commands}`;
    const options = { idempotencyKey, ...(correlationId !== undefined && { correlationId }) };
    try {
      const { events, state } = await this.#resource(by, resource).execute(command, options);
      this.#states.set(streamOf(resource), JSON.stringify(state));
      return { status: 200, events, state };
    } catch (error) {
      return refusalIn(error);
    }
  }

  /** Gives many commands over one connection. @returns how many were carried out */
  async giveAll(by: string, commands: readonly BulkCommand[]): Promise<number> {
    let done = 0;
    for await (const verdict of this.client(by).commands(commands)) {
      if (verdict.done) done++;
    }
    this.commands += commands.length;
    return done;
  }

  /** The state as anybody may read it. */
  async read<K extends Kind>(resource: ResourceRef & { readonly kind: K }): Promise<Outcome<K>> {
    try {
      const { state } = await this.#resource(director, resource).state();
      this.#states.set(streamOf(resource), JSON.stringify(state));
      return { status: 200, events: [], state };
    } catch (error) {
      return refusalIn(error);
    }
  }

  /** Several at a time, in their order. */
  async readAll<K extends Kind>(resources: readonly (ResourceRef & { readonly kind: K })[]): Promise<Outcome<K>[]> {
    const outcomes: Outcome<K>[] = [];
    for (let next = 0; next < resources.length; next += readsAtATime) {
      const some = resources.slice(next, next + readsAtATime);
      outcomes.push(...(await Promise.all(some.map((resource) => this.read(resource)))));
    }
    return outcomes;
  }

  /** Waits, in real time, for what somebody outside the play does. @throws Error where that does not come, or cannot any more */
  async until<K extends Kind>(
    resource: ResourceRef & { readonly kind: K },
    isSo: (state: State<K>) => boolean,
    mayStill: () => boolean,
  ): Promise<void> {
    for (const end = Date.now() + patienceMs; ; await pause(pollMs)) {
      const outcome = await this.read(resource);
      if (isDone(outcome) && isSo(outcome.state)) return;
      if (!mayStill() || Date.now() > end) throw new Error(`The ${resource.kind} ${resource.id} is still waited for.`);
    }
  }

  /** How somebody of the play reaches the server with a program of their own. */
  accessOf(name: string): { url: string; token: string } {
    return { url: this.#server!.url, token: this.#tokens.get(name)! };
  }

  /** A file that goes with the demo. */
  fileFor(name: string): string {
    return join(this.#folder, name);
  }

  history(resource: ResourceRef): AsyncGenerator<HistoryEntry, void, undefined> {
    return this.#resource(director, resource).history({ diff: true });
  }

  /**
   * Every resource of the ledger, with the JSON text of its state: of one that was deleted, as its deletion left it.
   * The ledger may still act by itself, so it is looked at again until it has not moved meanwhile.
   */
  async liveStates(): Promise<ReadonlyMap<string, string>> {
    for (;;) {
      const { resources, position } = await this.#everyResource();
      for (const [index, outcome] of (await this.readAll(resources)).entries()) {
        if (outcome.status === gone) await this.#readAsLeft(resources[index]!, position);
      }
      if ((await this.client(director).position()) === position) return this.#states;
    }
  }

  /** Lists have what was deleted, too, with what the list itself says of it at the end. */
  async #readAsLeft({ kind, id }: ResourceRef, minPosition: string): Promise<void> {
    const { url, token } = this.accessOf(director);
    const query = new URLSearchParams({ id, deleted: 'only', min_position: minPosition });
    const answer = await fetch(`${url}/v1/${kind}s?${query}`, { headers: { authorization: `Bearer ${token}` } });
    const { items } = (await answer.json()) as { items: { statusSince: string }[] };
    const { statusSince: _, ...state } = items[0]!;
    this.#states.set(streamOf({ kind, id }), JSON.stringify(state));
  }

  async #everyResource(): Promise<{ resources: ResourceRef[]; position: string }> {
    const streams = new Set<string>();
    let position = startPosition;
    for (;;) {
      const { events, next } = await this.client(director).eventPage({ after: position, limit: 1000 });
      for (const { stream } of events) streams.add(stream);
      if (next === position) return { resources: [...streams].map((stream) => resourceOf(stream)!), position };
      position = next;
    }
  }

  client(name: string): Client {
    const known = this.#clients.get(name);
    if (known) return known;
    const client = createClient({ baseUrl: this.#server!.url, token: this.#tokens.get(name)! });
    this.#clients.set(name, client);
    return client;
  }

  #resource<K extends Kind>(by: string, { kind, id }: ResourceRef & { readonly kind: K }): Resource<K> {
    return this.client(by)[kind](id) as unknown as Resource<K>;
  }
}

function refusalIn(error: unknown): { status: number; problem: Problem } {
  if (error instanceof ProblemError) return { status: error.status, problem: error.problem };
  throw error;
}
