/** The rules of docs/simulation.md, and those of the domain. */
export type Rule =
  | 'acknowledged-once'
  | 'state-is-fold'
  | 'subscriber-once-in-order'
  | 'harms-nobody-else'
  | 'reason-with-status'
  | 'no-effect-on-replay'
  | 'comes-to-rest'
  | 'verifiable'
  | 'deadlines-met'
  | 'processes-agree'
  | 'agent'
  | 'port'
  | 'node'
  | 'server';

/** What must always hold does not. */
export class Violation extends Error {
  override readonly name = 'Violation';
  readonly rule: Rule;

  constructor(rule: Rule, detail: string, cause?: unknown) {
    super(detail, cause === undefined ? undefined : { cause });
    this.rule = rule;
  }
}
