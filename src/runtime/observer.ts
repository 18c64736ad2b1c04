import type { Kind } from '../domain/kernel/resource.ts';

/** What the runtime tells whoever counts and logs. */
export interface RuntimeObserver {
  commandSettled?(command: { kind: Kind; type: string; outcome: 'done' | 'nothing' | 'refused'; slug?: string }): void;
  raceLost?(kind: Kind): void;
  unknownEvent?(kind: Kind, type: string): void;
  snapshotFailed?(error: unknown): void;
  deadlineFailed?(error: unknown): void;
}
