import type { HistoryEntry } from '../../client/answers.ts';
import type { State } from '../../client/kinds.ts';
import { aggregates } from '../../domain/aggregates.ts';
import type { Lifetime } from '../../domain/kernel/aggregate.ts';
import type { Kind, ResourceRef } from '../../domain/kernel/resource.ts';
import { PatchedState } from '../output/patch.ts';
import type { Stage } from './stage.ts';

/** What one command made of a resource, as its history tells it. */
export interface Moment {
  readonly time: string;
  /** How long everything had stayed as it was; null at the beginning. */
  readonly afterMs: number | null;
  /** What the resource is from then on, in the words of its kind. */
  readonly state: string;
  readonly command: string;
  readonly by: string;
  /** What went wrong, where that is news. */
  readonly trouble: string | null;
}

/**
 * The history of a resource, a moment for each command that changed it.
 * @param correlationId the only undertaking whose moments are meant
 */
export async function timelineOf(stage: Stage, resource: ResourceRef, correlationId?: string): Promise<Moment[]> {
  const { kind } = resource;
  const state = new PatchedState();
  const moments: (Moment & { readonly commandId: string | null })[] = [];
  let trouble: string | null = null;
  let details: string[] = [];
  for await (const entry of stage.history(resource)) {
    state.apply(entry.patch ?? []);
    const last = moments.at(-1);
    const { commandId } = entry.cause;
    const isMeant = correlationId === undefined || entry.cause.correlationId === correlationId;
    const goesOn = last !== undefined && commandId === last.commandId;
    details = [...(goesOn ? details : []), ...detailOf(entry)];
    const now = state.state as Lifetime;
    const newest = troubles[kind]?.(now as never) ?? null;
    const moment = {
      commandId,
      time: entry.time,
      afterMs: goesOn ? last.afterMs : entry.sincePreviousMs,
      state: describeState(kind, now),
      ...doerOf(entry, details),
      trouble: newest === trouble ? (goesOn ? last.trouble : null) : newest,
    };
    trouble = newest;
    if (!isMeant) continue;
    if (goesOn) moments.pop();
    moments.push(moment);
  }
  return moments.map(({ commandId: _, ...moment }) => moment);
}

/** Who gave which command. The ledger's own clock and flows go by what they are for. */
function doerOf({ actor, cause, type }: HistoryEntry, [detail]: readonly string[]): Pick<Moment, 'command' | 'by'> {
  if (actor?.type === 'system') return { command: actor.id, by: 'the ledger' };
  return { command: [cause.commandType ?? type, detail ?? []].flat().join(' '), by: actor?.id ?? 'somebody' };
}

/** What tells commands of one type apart, as their events have it. */
const detailOf = ({ type, data }: HistoryEntry): string[] =>
  telling[type]?.(data as Readonly<Record<string, string>>) ?? [];

const telling: Readonly<Record<string, (data: Readonly<Record<string, string>>) => string[]>> = {
  ServerActionStarted: ({ action }) => rebootTypes[action!] ?? [],
  ExternalEventReceived: ({ name }) => [name!.replace(/^network-(vif-)?/, '')],
  NodeOperationStarted: ({ verb }) => [verb!],
  NodeProvisionStateChanged: ({ event }) => [event!],
  NodeStepReported: () => ['step'],
  ProvisioningComponentCompleted: ({ entity }) => [entity!],
};

/** The one action that comes in two kinds. */
const rebootTypes: Readonly<Record<string, string[]>> = { SoftRebootServer: ['SOFT'], HardRebootServer: ['HARD'] };

type Describe = { readonly [K in Kind]?: (state: State<K>) => string };

/** The word people know the state by, and what belongs to it. */
const describeState = (kind: Kind, state: Lifetime): string =>
  `${aggregates[kind].status(state)}${belongings[kind]?.(state as never) ?? ''}`;

const belongings: Describe = {
  server: ({ taskState }) => (taskState === null ? '' : ` (${taskState})`),
  node: ({ targetProvisionState: target, step }) =>
    step !== null ? `, ${step.name}` : target !== null ? ` → ${target}` : '',
  port: ({ blocks }) => (blocks.length === 0 ? '' : `, waits for ${blocks.map(({ entity }) => entity).join(', ')}`),
};

const troubles: { readonly [K in Kind]?: (state: State<K>) => string | null } = {
  server: ({ faults }) => faults.at(-1)?.message ?? null,
  node: ({ lastError }) => lastError,
};
