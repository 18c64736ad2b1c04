import { type Aggregate, fold, type Lifetime } from '../domain/kernel/aggregate.ts';
import { streamOf } from '../domain/kernel/resource.ts';
import type { EventStore, Receipt } from '../store/event-store.ts';
import { type CommandRequest, Done, type Outcome } from './command.ts';
import { viewText } from './head.ts';
import { answeredEventText } from './recording.ts';
import { keyReused } from './verdicts.ts';

/** The answer that an earlier command with this key got, rebuilt from what it left in the store; null where there was none. */
export async function earlierOutcome(
  store: EventStore,
  aggregate: Aggregate,
  request: CommandRequest,
  receipt: Receipt,
): Promise<Outcome | null> {
  const { resource } = request;
  const stream = streamOf(resource);
  const stored = await store.findReceipt(stream, receipt.commandId);
  if (!stored) return null;
  if (stored.bodyHash !== receipt.bodyHash) return keyReused(request);

  const firstRevision = stored.lastRevision - stored.eventCount + 1;
  const answered: string[] = [];
  let state: Lifetime | null = null;
  for await (const event of store.readStream(stream, { limit: stored.lastRevision + 1 })) {
    state = fold(aggregate, resource.id, state, event);
    if (event.revision >= firstRevision) answered.push(answeredEventText(event, event.revision, event.dataText));
  }
  if (!state) throw new Error(`${stream} has a receipt for ${receipt.commandId} but no events`);
  const eventsText = `[${answered.join(',')}]`;
  return new Done(resource, stored.lastRevision, stored.position, eventsText, viewText(aggregate, state));
}
