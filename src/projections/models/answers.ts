import type { Database } from 'better-sqlite3';
import type { Answer, Ask, QueryName } from '../queries.ts';
import { activityAnswers } from './activity.ts';
import { type Answers, InvalidQuery, Sql } from './asking.ts';
import { graphAnswers } from './graph-answers.ts';
import { operationAnswers } from './operations.ts';
import { overviewAnswers } from './overview-answers.ts';
import { resourceAnswers } from './resource-answers.ts';
import { searchAnswers } from './search-answers.ts';
import { stayAnswers } from './stay-answers.ts';
import { usualAnswers } from './usual-answers.ts';
import { waitAnswers } from './waits.ts';

/** Every question there is; the compiler proves that none is missing. */
const answers: Answers<QueryName> = {
  ...resourceAnswers,
  ...waitAnswers,
  ...stayAnswers,
  ...usualAnswers,
  ...operationAnswers,
  ...activityAnswers,
  ...graphAnswers,
  ...overviewAnswers,
  ...searchAnswers,
};

export type Answerer = <N extends QueryName>(name: N, ask: Ask<N>) => Answer<N>;

export function answerer(db: Database): Answerer {
  const sql = new Sql(db);
  return (name, ask) => {
    if (!Object.hasOwn(answers, name)) throw new InvalidQuery(`There is no question ${name}.`);
    return answers[name](sql, ask);
  };
}
