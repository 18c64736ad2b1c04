import { setTimeout as sleep } from 'node:timers/promises';
import type { Answered } from '../../projections/host/running-model.ts';
import type { Ask, QueryName } from '../../projections/queries.ts';
import type { Views } from '../../projections/views.ts';
import { ViewsError, type ViewsFault } from '../../projections/views-error.ts';
import { startPosition } from '../../store/event-store.ts';
import { invalidRequest, type Problem, passingProblem } from '../problems/problem.ts';

/** The read models as requests reach them: with bounded patience, and with problems that say what to do. */
export class ReadModels {
  readonly #opening: Promise<Views>;
  readonly #longestMs: number;

  constructor(opening: Promise<Views>, longestMs: number) {
    this.#opening = opening;
    this.#longestMs = longestMs;
  }

  /**
   * The models, once they can answer and include a position. Those of a ledger that just started are waited for as well.
   *
   * @throws Problem where they are not so far in time
   */
  async reached(position: string = startPosition): Promise<Views> {
    const end = performance.now() + this.#longestMs;
    const views = await this.#opened();
    if (await views.waitFor(position, Math.max(end - performance.now(), 0))) return views;
    if (position === startPosition) throw passingProblem('read-models-not-ready', notReady, {}, 5);
    const detail = `The read models are at ${views.position} and did not reach ${position} within ${this.#longestMs} ms.`;
    throw passingProblem('position-not-reached', detail, { position: views.position });
  }

  /** @throws Problem where there is no answer, or the question cannot be answered as it was put */
  async ask<N extends QueryName>(name: N, ask: Ask<N>, position?: string): Promise<Answered<N>> {
    const views = await this.reached(position);
    return views.ask(name, ask).catch((error) => {
      throw readProblem(error);
    });
  }

  async #opened(): Promise<Views> {
    const enough = new AbortController();
    const patience = sleep(this.#longestMs, null, { signal: enough.signal }).catch(() => null);
    try {
      const views = await Promise.race([this.#opening, patience]);
      if (views) return views;
    } catch (error) {
      throw readProblem(error);
    } finally {
      enough.abort();
    }
    throw passingProblem('read-models-not-ready', notReady, {}, 5);
  }
}

const notReady = 'The read models are being built from the ledger; commands and single resources are served meanwhile.';

/** What the caller is told of a fault of the read models; other errors stay as they are. */
export function readProblem(error: unknown): unknown {
  return error instanceof ViewsError ? problems[error.fault.code](error) : error;
}

const problems: Readonly<Record<ViewsFault['code'], (error: ViewsError) => Problem>> = {
  'not-ready': ({ message }) => passingProblem('read-models-not-ready', message, {}, 5),
  overloaded: ({ message }) => passingProblem('read-models-overloaded', message),
  // All else that a question holds was checked before it was asked.
  'invalid-query': ({ message }) => invalidRequest([{ in: 'query', pointer: '/marker', detail: message }]),
  failed: ({ message }) => passingProblem('read-models-failed', message, {}, 5),
  damaged: ({ message }) => passingProblem('read-models-failed', message, {}, 5),
  closed: () => passingProblem('shutting-down', 'The server is stopping.'),
};
