import type { ModelOptions, Whereabouts } from '../models/model.ts';
import type { Answer, Ask, QueryName } from '../queries.ts';
import { ViewsError } from '../views-error.ts';
import { deferred } from './deferred.ts';
import type { CallName, Calls, Reply } from './protocol.ts';
import type { ModelConnection, StartModel } from './start-model.ts';

/** Questions that the model has at the same time; the others wait here, where they can be taken back. */
const window = 4;
const maxWaiting = 1000;

interface Pending {
  readonly resolve: (answer: never) => void;
  readonly reject: (error: ViewsError) => void;
}

interface WaitingQuestion {
  readonly name: QueryName;
  readonly ask: unknown;
  readonly pending: Pending;
}

/** A running model as a set of calls. When the model is gone, every call fails. */
export class ModelClient {
  /** What the model found when it was opened. */
  readonly opened: Promise<Whereabouts>;
  /** Settles when the model is gone, with the reason where it was not asked to go. */
  readonly gone: Promise<Error | null>;
  readonly #connection: ModelConnection;
  readonly #pending = new Map<number, Pending>();
  readonly #questions: WaitingQuestion[] = [];
  #asked = 0;
  #lastId = 0;
  #isOpen = false;
  #lost: ViewsError | null = null;

  constructor(start: StartModel, options: ModelOptions, onProgress: (events: number) => void = () => {}) {
    const opening = deferred<Whereabouts>();
    const gone = deferred<Error | null>();
    this.opened = opening.promise;
    this.gone = gone.promise;
    this.opened.catch(() => {}); // whoever waits for it hears of it
    this.#connection = start(options, {
      onReply: (reply) => {
        if (reply.kind === 'opened') {
          this.#isOpen = true;
          opening.resolve(reply.whereabouts);
        } else if (reply.kind === 'progress') onProgress(reply.events);
        else if (reply.kind === 'fault' && reply.id === null) opening.reject(new ViewsError(reply.fault));
        else this.#settle(reply);
      },
      onExit: (error) => {
        this.#lose(error);
        opening.reject(this.#lost!);
        gone.resolve(error);
      },
    });
  }

  get isLost(): boolean {
    return this.#lost !== null;
  }

  call<C extends CallName>(call: C, ask: Calls[C]['ask']): Promise<Calls[C]['answer']> {
    return new Promise((resolve, reject) => {
      if (this.#lost) return reject(this.#lost);
      this.#lastId += 1;
      this.#pending.set(this.#lastId, { resolve: resolve as Pending['resolve'], reject });
      this.#connection.send({ id: this.#lastId, call, ask });
    });
  }

  /** @throws ViewsError overloaded | invalid-query | failed | damaged, or the signal's reason */
  ask<N extends QueryName>(
    name: N,
    ask: Ask<N>,
    signal?: AbortSignal,
  ): Promise<{ readonly position: string; readonly value: Answer<N> }> {
    return new Promise((resolve, reject) => {
      if (this.#lost) return reject(this.#lost);
      if (signal?.aborted) return reject(signal.reason);
      if (this.#questions.length >= maxWaiting)
        return reject(new ViewsError({ code: 'overloaded', waiting: this.#questions.length }));

      const takeBack = (): void => {
        const index = this.#questions.indexOf(question);
        if (index >= 0) this.#questions.splice(index, 1);
        reject(signal!.reason);
      };
      signal?.addEventListener('abort', takeBack, { once: true });
      const settled = (): void => signal?.removeEventListener('abort', takeBack);
      const question = {
        name,
        ask,
        pending: {
          resolve(answer: never) {
            settled();
            resolve(answer);
          },
          reject(error: ViewsError) {
            settled();
            reject(error);
          },
        },
      };
      this.#questions.push(question);
      this.#askNext();
    });
  }

  /** Settles when the model is gone. One that has not even opened has nothing to finish, and is not waited for. */
  async close(): Promise<void> {
    if (!this.#isOpen) this.terminate();
    else if (!this.#lost) this.call('close', null).catch(() => {});
    await this.gone;
  }

  terminate(): void {
    this.#connection.terminate();
  }

  #askNext(): void {
    if (this.#asked >= window) return;
    const question = this.#questions.shift();
    if (!question) return;
    const { name, ask, pending } = question;
    this.#asked += 1;
    const done = (): void => {
      this.#asked -= 1;
      this.#askNext();
    };
    this.call('ask', { name, ask }).then(
      (answer) => {
        done();
        pending.resolve(answer as never);
      },
      (error: ViewsError) => {
        done();
        pending.reject(error);
      },
    );
  }

  #settle(reply: Extract<Reply, { kind: 'answer' | 'fault' }>): void {
    const pending = this.#pending.get(reply.id!);
    this.#pending.delete(reply.id!);
    if (reply.kind === 'answer') pending?.resolve(reply.answer as never);
    else pending?.reject(new ViewsError(reply.fault));
  }

  #lose(error: Error | null): void {
    const reason = error?.message ?? 'its thread has ended';
    this.#lost = new ViewsError({ code: 'failed', reason }, error);
    for (const { reject } of this.#pending.values()) reject(this.#lost);
    this.#pending.clear();
    for (const { pending } of this.#questions.splice(0)) pending.reject(this.#lost);
  }
}
