import { aggregates } from '../../src/domain/aggregates.ts';
import type { Kind } from '../../src/domain/kernel/resource.ts';
import { ManualClock } from '../../src/runtime/clock.ts';
import type { CommandRequest, Done, Outcome } from '../../src/runtime/command.ts';
import { Runtime, type RuntimeOptions } from '../../src/runtime/runtime.ts';
import type { EventStore, RecordedEvent } from '../../src/store/event-store.ts';
import { openStore } from '../../src/store/open-store.ts';
import { someone } from './story.ts';

/** Engines that a test of what stands above the store runs on. */
export const engines = ['memory:', 'sqlite:'] as const;

/** The nth id of its kind. */
export const nthId = (n: number): string => `00000000-0000-4000-8000-${n.toString(16).padStart(12, '0')}`;

/** A runtime on a fresh ledger whose time stands still until the test moves it. */
export async function openLedger(options: Partial<RuntimeOptions> = {}, url = 'memory:') {
  const clock = new ManualClock();
  const store = options.store ?? (await openStore(url, { clock: 'manual', now: () => clock.now() }));
  const runtime = new Runtime({ aggregates, clock, ...options, store });
  return { store, runtime, clock, execute: executor(runtime) };
}

type Extra = Partial<Omit<CommandRequest, 'resource' | 'type' | 'data'>>;

/** Gives commands as callers write them: defaults are filled in by the command's schema. */
export const executor =
  (runtime: Runtime) =>
  (kind: Kind, id: string, type: string, data: object = {}, extra: Extra = {}): Promise<Outcome> => {
    const parsed = aggregates[kind].commands[type]!.parse(data) as object;
    return runtime.execute({ resource: { kind, id }, type, data: parsed, actor: someone, ...extra });
  };

export function done(outcome: Outcome): Done {
  if (outcome.outcome !== 'done') throw new Error(`refused: ${outcome.refusal.message}`);
  return outcome;
}

export const slugOf = (outcome: Outcome): string | null =>
  outcome.outcome === 'refused' ? outcome.refusal.slug : null;

export const typesOf = (outcome: Outcome): string[] => done(outcome).events.map((event) => event.type);

export async function collect<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const item of items) all.push(item);
  return all;
}

export const streamTypes = async (store: EventStore, stream: string): Promise<string[]> =>
  (await collect(store.readStream(stream))).map((event: RecordedEvent) => event.type);
