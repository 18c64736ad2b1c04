import { lifetimeRefusals } from '../kernel/aggregate.ts';
import { type RefusalCatalogue, refuser } from '../kernel/refusal.ts';

export const agentRefusals = lifetimeRefusals('agent') satisfies RefusalCatalogue;

export const refuse = refuser(agentRefusals);
