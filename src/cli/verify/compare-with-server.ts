import type { Client } from '../../client/client.ts';
import { ProblemError } from '../../client/errors.ts';
import { type Aggregate, type Lifetime, viewOf } from '../../domain/kernel/aggregate.ts';
import { type Kind, type ResourceRef, resourceOf } from '../../domain/kernel/resource.ts';
import { finding } from './finding.ts';
import type { CompareStates } from './verify-ledger.ts';

/** Questions to the server that are under way at one time. */
const concurrency = 16;

/** Asks the server for the state of resources, of all or of so many spread evenly, as of the revision refolded here. */
export const comparisonWith =
  (client: Client, aggregates: Readonly<Record<Kind, Aggregate>>, sample: number | 'all'): CompareStates =>
  async ({ states }, report) => {
    const streams = sampled(states.streams(), sample).values();
    let compared = 0;
    const compareOneByOne = async (): Promise<void> => {
      for (const stream of streams) {
        const resource = resourceOf(stream)!;
        const state = states.get(stream)!;
        const difference = await differenceOf(client, resource, state, viewOf(aggregates[resource.kind], state));
        compared++;
        if (difference === null) continue;
        report(finding('server-differs', { stream, revision: state.revision, position: '' }, difference));
      }
    };
    await Promise.all(Array.from({ length: concurrency }, compareOneByOne));
    return compared;
  };

function sampled(streams: readonly string[], sample: number | 'all'): readonly string[] {
  if (sample === 'all' || sample >= streams.length) return streams;
  return Array.from({ length: sample }, (_, index) => streams[Math.floor((index * streams.length) / sample)]!);
}

/** What the server says otherwise, in a sentence; null where it says the same. */
async function differenceOf(
  client: Client,
  resource: ResourceRef,
  { revision, deletedAt }: Lifetime,
  view: object,
): Promise<string | null> {
  try {
    const state = await stateOnServer(client, resource, revision);
    if (JSON.stringify(state) === JSON.stringify(view)) return null;
    return `The server shows other values of ${differingMembers(state, view).join(', ')}.`;
  } catch (error) {
    if (!(error instanceof ProblemError) || ![404, 410].includes(error.status)) throw error;
    return error.status === 410 && deletedAt !== undefined ? null : `The server answers: ${error.message}`;
  }
}

/** The state as it is; where the resource has moved on since the ledger was read, as it was. */
async function stateOnServer(client: Client, { kind, id }: ResourceRef, revision: number): Promise<object> {
  const resource = client[kind](id);
  const now = await resource.state().catch((error) => {
    if (error instanceof ProblemError && error.status === 410) return null;
    throw error;
  });
  return now?.revision === revision ? now.state : (await resource.state({ at: revision })).state;
}

function differingMembers(a: object, b: object): string[] {
  const [one, other] = [a as Record<string, unknown>, b as Record<string, unknown>];
  const names = Object.keys({ ...one, ...other });
  const differing = names.filter((name) => JSON.stringify(one[name]) !== JSON.stringify(other[name]));
  return differing.length > 0 ? differing : ['the order of its members'];
}
