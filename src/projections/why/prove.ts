import { streamOf } from '../../domain/kernel/resource.ts';
import type { Clue, Condition, Explanation, Hint, Proof } from '../../domain/why/explanation.ts';
import type { StreamTail } from './stream-tail.ts';

type Tails = ReadonlyMap<string, StreamTail>;

/** Finds the events that the clues of an explanation mean. */
export async function prove(explanation: Explanation<Clue>, tails: Tails): Promise<Explanation<Proof>> {
  const conditions = await inTurn(explanation.conditions, (condition) => proveCondition(condition, tails));
  const hints = await inTurn(explanation.hints, (hint) => proveHint(hint, tails));
  return { ...explanation, conditions, hints };
}

async function proveCondition(condition: Condition<Clue>, tails: Tails): Promise<Condition<Proof>> {
  const because = await inTurn(condition.because, (other) => prove(other, tails));
  return { ...condition, proof: await proofs(condition.proof, tails), because };
}

async function proveHint(hint: Hint<Clue>, tails: Tails): Promise<Hint<Proof>> {
  return { ...hint, proof: await proofs(hint.proof, tails) };
}

/** In the order of the ledger, each once. */
export async function proofs(clues: readonly Clue[], tails: Tails): Promise<Proof[]> {
  const found = await inTurn(clues, (clue) => tails.get(streamOf(clue.on))?.find(clue) ?? null);
  const unique = new Map(found.flatMap((proof) => (proof ? [[proof.position, proof] as const] : [])));
  return [...unique.values()].sort((a, b) => (a.position < b.position ? -1 : 1));
}

/** One after the other: a tail that reads on is not read by two at a time. */
async function inTurn<T, R>(items: readonly T[], work: (item: T) => R | Promise<R>): Promise<R[]> {
  const done: R[] = [];
  for (const item of items) done.push(await work(item));
  return done;
}
