import { formatPosition } from '../store/event-store.ts';
import type { BuildProgress } from './host/builder.ts';
import type { RunningModel } from './host/running-model.ts';
import { projections } from './models/projector.ts';

export interface ViewsHealth {
  /** Whether questions are answered from a model that has caught up and makes progress. What `/readyz` asks. */
  readonly ready: boolean;
  /** Why not, in words; null where it is ready. */
  readonly reason: string | null;
  /** How far a new model is; null where none is being built. */
  readonly building: BuildProgress | null;
  readonly head: string;
  readonly projections: readonly ProjectionHealth[];
}

export interface ProjectionHealth {
  readonly name: string;
  readonly version: number;
  /** The last event that was processed; kept with the rows, in one transaction, so that it goes on from here after a crash. */
  readonly position: string;
  /** Positions that the ledger is ahead. */
  readonly lag: number;
  /** RFC 3339. */
  readonly progressedAt: string;
  readonly sinceProgressMs: number;
  readonly lastError: string | null;
  /** Resources whose events it cannot process. */
  readonly parked: number;
}

/** Silence after which a model that lags is taken to be stuck. */
const stuckMs = 10_000;

export function healthOf(
  model: RunningModel | null,
  { head, now, building }: { head: number; now: number; building: BuildProgress | null },
): ViewsHealth {
  const reason = model ? reasonOf(model, head, now) : buildReason(building);
  return {
    ready: reason === null,
    reason,
    building,
    head: formatPosition(head),
    projections: model === null ? [] : projectionsOf(model, head, now),
  };
}

const buildReason = (building: BuildProgress | null): string =>
  building?.lastError
    ? `The read models cannot be built, which is tried again: ${building.lastError}`
    : 'The read models are being built.';

function reasonOf(model: RunningModel, head: number, now: number): string | null {
  if (model.lastError !== null) return `The read models cannot follow the ledger: ${model.lastError}`;
  const lag = head - model.position;
  if (model.isFrozen) return 'The read models are of an earlier version and are being built anew.';
  if (!model.hasCaughtUp) return `The read models are ${lag} events behind.`;
  const silentMs = now - model.progressedAt;
  return lag > 0 && silentMs > stuckMs ? `The read models are ${lag} events behind and stand still.` : null;
}

const projectionsOf = (model: RunningModel, head: number, now: number): ProjectionHealth[] =>
  projections.map(({ name, version }) => ({
    name,
    version,
    position: formatPosition(model.position),
    lag: Math.max(head - model.position, 0),
    progressedAt: new Date(model.progressedAt).toISOString(),
    sinceProgressMs: Math.max(now - model.progressedAt, 0),
    lastError: model.lastError,
    parked: model.parked[name] ?? 0,
  }));
