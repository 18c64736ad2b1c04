import type { ResourceRef } from '../../domain/kernel/resource.ts';
import { resourceOf, streamOf } from '../../domain/kernel/resource.ts';
import { causesOf } from '../../domain/why/explain.ts';
import type { Condition, Explanation, Hint, Proof, Why } from '../../domain/why/explanation.ts';

type Sees = (resource: ResourceRef) => Promise<boolean>;

/**
 * An explanation as far as a confined caller sees: its branches end where the next resource is not the project's, and what
 * is waited for there is the last cause that is told. Who has to act is still named: that is what is waited for.
 */
export async function whyWithin(why: Why, sees: Sees): Promise<Why> {
  const known = new Map<string, Promise<boolean>>();
  const isSeen: Sees = (resource) => {
    const stream = streamOf(resource);
    const found = known.get(stream) ?? sees(resource);
    known.set(stream, found);
    return found;
  };
  const told = await explanationWithin(why, isSeen);
  const waitedForBy = await filtered(why.waitedForBy, ({ resource }) => isSeen(resource));
  return { ...why, ...told, causes: causesOf(told), waitedForBy };
}

async function explanationWithin(explanation: Explanation<Proof>, sees: Sees): Promise<Explanation<Proof>> {
  const conditions: Condition<Proof>[] = [];
  for (const condition of explanation.conditions) {
    const because: Explanation<Proof>[] = [];
    for (const other of condition.because) {
      if (await sees(other.resource)) because.push(await explanationWithin(other, sees));
    }
    conditions.push({ ...condition, proof: await proofWithin(condition.proof, sees), because });
  }
  const hints: Hint<Proof>[] = [];
  for (const hint of explanation.hints) hints.push({ ...hint, proof: await proofWithin(hint.proof, sees) });
  return { ...explanation, conditions, hints };
}

const proofWithin = (proof: readonly Proof[], sees: Sees): Promise<Proof[]> =>
  filtered(proof, async ({ stream }) => {
    const resource = resourceOf(stream);
    return resource !== null && sees(resource);
  });

async function filtered<T>(items: readonly T[], isWanted: (item: T) => Promise<boolean>): Promise<T[]> {
  const wanted: T[] = [];
  for (const item of items) if (await isWanted(item)) wanted.push(item);
  return wanted;
}
