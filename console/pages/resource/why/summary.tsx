import type { Explanation } from './answer.ts';

/** The whole in a sentence, where the conditions below it do not begin with the same. */
export function Summary({
  explanation: { summary, conditions, verdict },
}: {
  readonly explanation: Pick<Explanation, 'summary' | 'conditions' | 'verdict'>;
}) {
  if (conditions.some((condition) => condition.summary === summary)) return null;
  return <p className={verdict === 'stuck' ? 'tone-failed' : undefined}>{summary}</p>;
}
