import type { Failure } from './messages.ts';

export type CallKind = 'append' | 'delete' | 'read' | 'subscribe' | 'features' | 'gossip';

/** What goes wrong with a call. */
export type Mischief =
  /** Carried out after a while. */
  | { readonly kind: 'slow'; readonly ms: number }
  /** Neither carried out nor answered. */
  | { readonly kind: 'silent' }
  /** Not carried out, and refused. */
  | { readonly kind: 'fail'; readonly failure: Failure }
  /** Carried out; the connection breaks before the answer. */
  | { readonly kind: 'dropped' }
  /** Carried out, and never answered. */
  | { readonly kind: 'unanswered' };

/** Asked once a call, before it is carried out. */
export type Mischievous = (call: CallKind) => Mischief | undefined;
