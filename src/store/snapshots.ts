import type { Snapshot } from './event-store.ts';

/**
 * Whether a snapshot takes the place of the one that is kept. One made by another fold always does, whichever is newer:
 * readers of this fold cannot use the other. One ahead of its stream describes events that were never stored.
 */
export const replacesSnapshot = (
  kept: Pick<Snapshot, 'revision' | 'foldVersion'> | undefined,
  { revision, foldVersion }: Snapshot,
  streamRevision: number,
): boolean => revision <= streamRevision && (!kept || kept.foldVersion !== foldVersion || kept.revision <= revision);
