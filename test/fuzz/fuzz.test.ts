import { expect, test } from 'vitest';
import { campaign } from './campaign.ts';

/** The short form of `npm run fuzz`, by seeds that stay the same. */
test('requests of all kinds, right and wrong: nothing fails, hangs, or is stored by a refused one', {
  timeout: 240_000,
}, async () => {
  const { sent, statuses, faults } = await campaign(1_500, 20);
  expect(faults).toEqual([]);
  expect(sent).toBe(1_500);
  // Requests that are all refused find nothing.
  expect(statuses.get(200)).toBeGreaterThan(300);
});
