import type { Why } from '../../../../src/client/index.ts';

export type Condition = Why['conditions'][number];
export type Hint = Why['hints'][number];
export type Explanation = Condition['because'][number];
export type Owner = NonNullable<Condition['owner']>;
