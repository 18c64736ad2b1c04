import type { Aggregate } from './kernel/aggregate.ts';
import type { Kind } from './kernel/resource.ts';
import { portAggregate } from './port/index.ts';

/** Every kind of resource the ledger keeps. */
export const aggregates = { port: portAggregate } as unknown as Readonly<Record<Kind, Aggregate>>;
