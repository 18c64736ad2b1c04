import { formatPosition } from '../../store/event-store.ts';
import { buildingPath } from '../models/model-file.ts';
import type { ViewsObserver } from '../views.ts';
import { isViewsError, reasonOf } from '../views-error.ts';
import type { RunningModel } from './running-model.ts';

export interface BuilderOptions {
  /** Where the models are to be in the end. */
  readonly path: string;
  readonly start: (path: string, onDamaged: () => void) => RunningModel;
  /** Puts a model that has caught up into the place of the one that answers. */
  readonly swap: (next: RunningModel) => Promise<void>;
  readonly sleep: (milliseconds: number) => Promise<void>;
  readonly observer: ViewsObserver;
}

const retryMs = 1000;

/** How far a build is. */
export interface BuildProgress {
  readonly events: number;
  /** Why it has to try again; null where it gets on. */
  readonly lastError: string | null;
}

/** Builds models beside the ones that answer, one at a time: in a file of its own, which then takes the place of theirs. */
export class Builder {
  readonly #options: BuilderOptions;
  #building: Promise<void> | null = null;
  #next: RunningModel | null = null;
  #events = 0;
  #lastError: string | null = null;
  #closed = false;

  constructor(options: BuilderOptions) {
    this.#options = options;
  }

  /** How far the model under way is; null where none is built. */
  get progress(): BuildProgress | null {
    if (!this.#building) return null;
    const lastError = this.#next?.lastError ?? this.#lastError;
    return { events: Math.max(this.#events, this.#next?.position ?? 0), lastError };
  }

  progressed(events: number): void {
    this.#events = events;
    this.#options.observer.buildProgressed?.(events);
  }

  /** Settles when the new models answer. Who asks while one is built waits for that one. */
  build(reason: string): Promise<void> {
    this.#building ??= this.#buildUntilDone(reason).finally(() => {
      this.#building = null;
      this.#lastError = null;
    });
    return this.#building;
  }

  async close(): Promise<void> {
    this.#closed = true;
    await this.#next?.close();
    await this.#building?.catch(() => {});
  }

  async #buildUntilDone(reason: string): Promise<void> {
    this.#options.observer.buildStarted?.(reason);
    while (!this.#closed) {
      try {
        return await this.#buildOnce();
      } catch (error) {
        if (this.#closed) return;
        this.#lastError = reasonOf(error);
        this.#options.observer.faulted?.(error);
        if (!isViewsError(error, 'damaged') && !isViewsError(error, 'failed')) throw error;
        await this.#options.sleep(retryMs);
      }
    }
  }

  async #buildOnce(): Promise<void> {
    const { path, start, swap, observer } = this.#options;
    this.#events = 0;
    const next = start(buildingPath(path), () => {});
    this.#next = next;
    try {
      await next.opened();
      next.follow();
      await next.caughtUp();
      await swap(next);
      observer.buildFinished?.(formatPosition(next.position));
    } catch (error) {
      await next.close();
      throw error;
    } finally {
      this.#next = null;
    }
  }
}
