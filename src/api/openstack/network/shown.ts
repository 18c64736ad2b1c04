/** Times as Neutron writes them: to the second. */
export const timeShown = (time: string): string => time.replace(/\.\d+Z$/, 'Z');

/** What each of Neutron's resources shows of its own history. */
export const lifetimeShown = ({ createdAt, updatedAt, revision }: Lived) => ({
  created_at: timeShown(createdAt),
  updated_at: timeShown(updatedAt),
  revision_number: revision,
});

export interface Lived {
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly revision: number;
}
