import type { Lifetime } from '../../../domain/kernel/aggregate.ts';
import { toTheSecond } from '../times.ts';

/** What each of Neutron's resources shows of its own history. */
export const lifetimeShown = ({ createdAt, updatedAt, revision }: Lifetime) => ({
  created_at: toTheSecond(createdAt),
  updated_at: toTheSecond(updatedAt),
  revision_number: revision,
});
