import type { Draft } from 'immer';
import { type Node, type Trouble, troublesKept } from './state.ts';

/** Whether a trouble has been told before in the attempt at hand, in the same words; during the same, if that matters. */
export function isKnown({ trouble, pastTroubles, attempts }: Node, message: string, during?: string): boolean {
  const told = [...pastTroubles, ...(trouble ? [trouble] : [])].filter(({ attempt }) => attempt === attempts);
  const all = told.flatMap((first) => [first, ...first.followUps]);
  return all.some((known) => known.message === message && (during ?? known.during) === known.during);
}

interface Raised {
  readonly message: string;
  readonly during: string;
  readonly time: string;
}

/** The first trouble of an attempt is its cause; what comes after it in the same attempt follows from it. */
export function raise(node: Draft<Node>, { message, during, time: raisedAt }: Raised): void {
  const { trouble, attempts: attempt, provisionState } = node;
  if (trouble?.attempt !== attempt) {
    settle(node, raisedAt);
    node.trouble = { message, during, attempt, provisionState, raisedAt, resolvedAt: null, followUps: [] };
    node.lastError = message;
    return;
  }
  node.lastError = trouble.message;
  const all = [trouble, ...trouble.followUps];
  if (all.some((known) => known.message === message && known.during === during)) return;
  trouble.followUps.push({ message, during, raisedAt });
  trouble.followUps.splice(0, trouble.followUps.length - troublesKept);
}

/** The trouble at hand is history. */
export function settle(node: Draft<Node>, time: string): void {
  node.lastError = null;
  const { trouble } = node;
  if (!trouble) return;
  node.pastTroubles.push({ ...trouble, resolvedAt: time } as Draft<Trouble>);
  node.pastTroubles.splice(0, node.pastTroubles.length - troublesKept);
  node.trouble = null;
}
