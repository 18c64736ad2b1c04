import { aggregates } from '../../src/domain/aggregates.ts';
import { isAlive, type Lifetime } from '../../src/domain/kernel/aggregate.ts';
import { type Kind, kinds, type ResourceRef, resourceOf } from '../../src/domain/kernel/resource.ts';
import { chainLink, chainStart, withoutChain } from '../../src/runtime/chain.ts';
import type { EventStore, RecordedEvent } from '../../src/store/event-store.ts';
import { spoiled } from './actors/vandal.ts';
import { foldStored } from './fold-stored.ts';
import { checkAppended } from './rules/appended.ts';
import { Violation } from './violation.ts';

/** What is known of one stream by reading along. */
export interface Past {
  readonly resource: ResourceRef;
  state: Lifetime | null;
  readonly events: RecordedEvent[];
}

/**
 * Reads along with everything that is written, without any process in between, and folds it. After each step of the world
 * it looks at what has come since.
 */
export class Witness {
  readonly log: RecordedEvent[] = [];
  readonly #pasts = new Map<string, Past>();
  readonly #byKind = new Map<Kind, Past[]>(kinds.map((kind) => [kind, []]));
  readonly #appends = new Map<string, string>();
  readonly #reactions = new Map<string, string>();
  #seen = 0;

  constructor(ledger: EventStore) {
    ledger.watch({ stored: (events) => this.log.push(...events), announced: () => {} });
  }

  /** @throws Violation */
  look(): void {
    while (this.#seen < this.log.length) this.#takeIn(this.log[this.#seen++]!);
  }

  past(stream: string): Past | undefined {
    return this.#pasts.get(stream);
  }

  /** Resources that exist now, in the order in which they came into the ledger. */
  living<S extends Lifetime>(kind: Kind): S[] {
    return this.#byKind.get(kind)!.flatMap(({ state }) => (isAlive(state) ? [state as S] : []));
  }

  stateOf<S extends Lifetime>(kind: Kind, id: string): S | null {
    const state = this.#pasts.get(`${kind}-${id}`)?.state ?? null;
    return isAlive(state) ? (state as S) : null;
  }

  pasts(): Iterable<Past> {
    return this.#pasts.values();
  }

  /** The events of one command, which are one append. */
  #takeIn(event: RecordedEvent): void {
    const { stream, revision, position } = event;
    const resource = resourceOf(stream)!;
    let past = this.#pasts.get(stream);
    if (!past) {
      past = { resource, state: null, events: [] };
      this.#pasts.set(stream, past);
      this.#byKind.get(resource.kind)!.push(past);
    }
    if (revision !== past.events.length || Number(position) !== this.#seen)
      throw new Violation('acknowledged-once', `${stream} has ${revision} at ${position}, and that is out of order`);

    const { commandId } = event.metadata;
    const key = `${stream}/${String(commandId)}`;
    const isNew = past.events.at(-1)?.metadata.commandId !== commandId;
    if (isNew && this.#appends.has(key))
      throw new Violation('acknowledged-once', `the command ${String(commandId)} was applied twice to ${stream}`);
    this.#appends.set(key, event.id);
    past.events.push(event);
    if (isSpoiled(past)) return;
    checkChain(event, past.events.at(-2));
    this.#checkReaction(event);
    past.state = foldStored(aggregates[resource.kind], resource.id, past.state, event);
    const next = this.log[this.#seen];
    if (next?.stream !== stream || next.metadata.commandId !== commandId) checkAppended(past);
  }

  /** However often a process manager looks at an event, what it asks of a resource is done once. */
  #checkReaction({ stream, metadata }: RecordedEvent): void {
    const { $causationId, actor, commandType, commandId } = metadata;
    const reaction = [stream, $causationId, (actor as { id: string }).id, commandType].join('/');
    const before = this.#reactions.get(reaction) ?? commandId;
    if (before !== commandId)
      throw new Violation('acknowledged-once', `the reaction ${reaction} was carried out twice`);
    this.#reactions.set(reaction, String(commandId));
  }
}

/** What `verify` would say of the stream. @throws Violation */
function checkChain(event: RecordedEvent, before: RecordedEvent | undefined): void {
  const link = withoutChain(event.metadataText);
  const previous = before ? String(before.metadata.chain) : chainStart;
  if (link?.chain !== chainLink(previous, { ...event, metadataText: link?.metadataText ?? '' }))
    throw new Violation('verifiable', `the chain of ${event.stream} breaks at ${event.revision}`);
}

/** From where somebody has put what no fold can take. */
const isSpoiled = ({ resource, events }: Past): boolean =>
  resource.id === spoiled && events.some(({ metadata }) => metadata.commandId === undefined);
