import { enablePatches, type Patch, produceWithPatches } from 'immer';
import { type Aggregate, type Lifetime, viewOf } from '../domain/kernel/aggregate.ts';
import { type Json, sameJson } from '../domain/kernel/json.ts';
import { pointerTo, valueAt } from '../domain/kernel/json-pointer.ts';
import type { RecordedEvent } from '../store/event-store.ts';
import { foldRecorded } from './folding.ts';

enablePatches();

/** One change of a JSON Patch (RFC 6902). */
export type JsonPatchOperation =
  | { readonly op: 'add' | 'replace'; readonly path: string; readonly value: Json }
  | { readonly op: 'remove'; readonly path: string };

type View = Readonly<Record<string, unknown>>;

/** Folds one event into a state that stays as it was; says what that changed in the state as people see it. */
export function foldWithPatch(
  aggregate: Aggregate,
  id: string,
  before: Lifetime | null,
  event: RecordedEvent,
): { readonly state: Lifetime | null; readonly patch: readonly JsonPatchOperation[] } {
  // A life begins as a whole; there is nothing to compare it with.
  if (before === null || event.type in aggregate.begin) {
    const state = foldRecorded(aggregate, id, before && structuredClone(before), event);
    const value = state && (viewOf(aggregate, state) as Json);
    return { state, patch: value === null ? [] : [{ op: before ? 'replace' : 'add', path: '', value }] };
  }
  const [state, all] = produceWithPatches(before, (draft) => {
    foldRecorded(aggregate, id, draft as Lifetime, event);
  });
  const patches = all.filter((patch) => !repeats(patch, before));
  return { state, patch: aggregate.view ? patchOfView(aggregate, before, state, patches) : patches.map(operation) };
}

/** People see more than what is folded: what the view adds is compared member by member, and what it hides stays hidden. */
function patchOfView(
  aggregate: Aggregate,
  before: Lifetime,
  after: Lifetime,
  patches: readonly Patch[],
): JsonPatchOperation[] {
  const seenBefore = viewOf(aggregate, before) as View;
  const seenAfter = viewOf(aggregate, after) as View;
  const derived = new Set(
    Object.keys({ ...seenBefore, ...seenAfter }).filter(
      (key) =>
        seenBefore[key] !== (before as unknown as View)[key] || seenAfter[key] !== (after as unknown as View)[key],
    ),
  );
  const folded = patches.filter(
    ({ path: [key] }) => !derived.has(String(key)) && String(key) in { ...seenBefore, ...seenAfter },
  );
  return [
    ...folded.map(operation),
    ...[...derived].flatMap((key) => memberChange(key, seenBefore[key], seenAfter[key])),
  ];
}

function memberChange(key: string, before: unknown, after: unknown): JsonPatchOperation[] {
  const path = pointerTo([key]);
  if (after === undefined) return before === undefined ? [] : [{ op: 'remove', path }];
  if (before === undefined) return [{ op: 'add', path, value: after as Json }];
  return sameJson(before, after) ? [] : [{ op: 'replace', path, value: after as Json }];
}

/** A reducer may write what is there already: a list from which nothing was left out. Nobody is told of that as a change. */
const repeats = ({ op, path, value }: Patch, before: unknown): boolean =>
  op === 'replace' && sameJson(valueAt(before, path), value);

const operation = ({ op, path, value }: Patch): JsonPatchOperation =>
  op === 'remove' ? { op, path: pointerTo(path) } : { op, path: pointerTo(path), value: value as Json };
