import type { Json } from '../../domain/kernel/json.ts';
import { formatPosition } from '../../store/event-store.ts';
import type { Change } from '../changes.ts';
import { diff } from '../json-diff.ts';
import type { Changed } from '../models/projector.ts';

/** What a model says of a changed resource, as subscribers get it. */
export function changeOf({ kind, id, revision, position, view, before }: Changed): Change {
  const value = JSON.parse(view) as Json;
  const patch = before === null ? [{ op: 'add' as const, path: '', value }] : diff(JSON.parse(before) as Json, value);
  return { resource: { kind, id }, revision, position: formatPosition(position), viewText: view, patch };
}
