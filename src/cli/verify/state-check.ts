import { hash } from 'node:crypto';
import { type Aggregate, fold } from '../../domain/kernel/aggregate.ts';
import { upcast } from '../../domain/kernel/events.ts';
import { type Kind, type ResourceRef, resourceOf } from '../../domain/kernel/resource.ts';
import type { RecordedEvent, Snapshot } from '../../store/event-store.ts';
import { finding, type Report } from './finding.ts';
import { StateShelf } from './state-shelf.ts';

/** Refolds every stream: the data follow their schemas, the fold takes them, and kept snapshots say the same. */
export class StateCheck {
  readonly #aggregates: Readonly<Record<Kind, Aggregate>>;
  readonly #report: Report;
  readonly #snapshots = new Map<string, { revision: number; digest: string }>();
  /** Streams whose state is not known any more: an event could not be folded, or is of a newer program. */
  readonly #lost = new Set<string>();
  readonly states = new StateShelf();
  /** Types this program does not know, as `type` or `type v7`, with how many events there are. */
  readonly unknownTypes = new Map<string, number>();
  snapshotsCompared = 0;
  snapshotsIgnored = 0;

  constructor(aggregates: Readonly<Record<Kind, Aggregate>>, report: Report) {
    this.#aggregates = aggregates;
    this.#report = report;
  }

  /** Notes a snapshot to be compared when its revision comes by. One of another fold says nothing. */
  expectSnapshot({ stream, revision, foldVersion, state }: Snapshot): void {
    const resource = resourceOf(stream);
    if (!resource || this.#aggregates[resource.kind].foldVersion !== foldVersion) this.snapshotsIgnored++;
    else this.#snapshots.set(stream, { revision, digest: digest(state) });
  }

  event(event: RecordedEvent): void {
    if (!readable(event)) {
      this.#report(finding('unreadable', event, 'The data or the metadata of the event are not a JSON object.'));
      this.#lose(event.stream);
      return;
    }
    const resource = resourceOf(event.stream);
    if (!resource) {
      this.#countUnknown(`${event.type} in a stream of no known kind`);
      return;
    }
    if (this.#checkData(this.#aggregates[resource.kind], event)) this.#fold(resource, event);
    this.#compareSnapshot(event);
  }

  /** What is left when all events came by: snapshots of revisions that do not exist. */
  end(): void {
    for (const [stream, { revision }] of this.#snapshots) {
      if (this.#lost.has(stream)) continue;
      const detail = `There is a snapshot of revision ${revision}, which the stream does not have.`;
      this.#report(finding('snapshot-differs', { stream, revision, position: '' }, detail));
    }
  }

  /** False where the event is not to be folded. */
  #checkData({ events }: Aggregate, event: RecordedEvent): boolean {
    const definition = events.definitions[event.type];
    if (!definition) {
      this.#countUnknown(event.type);
      return true; // the fold steps over it
    }
    if (event.v > definition.version) {
      this.#countUnknown(`${event.type} v${event.v}`);
      this.#lose(event.stream);
      return false;
    }
    const problem = this.#problemWith(events, event);
    if (problem === null) return true;
    this.#report(finding('data-invalid', event, `The data of ${event.type} v${event.v} ${problem}.`));
    return true;
  }

  #problemWith(events: Aggregate['events'], event: RecordedEvent): string | null {
    try {
      const data = upcast(events, event.type, event.v, event.data);
      const parsed = events.definitions[event.type]!.schema.safeParse(data);
      if (parsed.success) return null;
      const [issue] = parsed.error.issues;
      return `are wrong at /${issue!.path.map(String).join('/')}: ${issue!.message}`;
    } catch (error) {
      return `cannot be lifted to the current version: ${String(error)}`;
    }
  }

  #fold({ kind, id }: ResourceRef, event: RecordedEvent): void {
    if (this.#lost.has(event.stream)) return;
    try {
      const state = fold(this.#aggregates[kind], id, this.states.get(event.stream), event);
      if (state) this.states.set(event.stream, state);
    } catch (error) {
      this.#report(finding('fold-failed', event, `${event.type} cannot be folded: ${String(error)}`));
      this.#lose(event.stream);
    }
  }

  #compareSnapshot(event: RecordedEvent): void {
    const snapshot = this.#snapshots.get(event.stream);
    if (snapshot?.revision !== event.revision) return;
    this.#snapshots.delete(event.stream);
    if (this.#lost.has(event.stream)) return;
    this.snapshotsCompared++;
    if (digest(JSON.stringify(this.states.get(event.stream))) === snapshot.digest) return;
    const detail = `The snapshot of revision ${event.revision} is not the state the events lead to. Snapshots can be deleted at any time.`;
    this.#report(finding('snapshot-differs', event, detail));
  }

  #lose(stream: string): void {
    this.#lost.add(stream);
    this.states.delete(stream);
  }

  #countUnknown(name: string): void {
    this.unknownTypes.set(name, (this.unknownTypes.get(name) ?? 0) + 1);
  }
}

const digest = (text: string): string => hash('sha256', text, 'base64url');

function readable(event: RecordedEvent): boolean {
  try {
    return isObject(event.data) && isObject(event.metadata);
  } catch {
    return false;
  }
}

const isObject = (value: unknown): boolean => typeof value === 'object' && value !== null && !Array.isArray(value);
