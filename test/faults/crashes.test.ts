import { expect, it } from 'vitest';
import { crash } from '../soak/crashes.ts';

// The long form is `npm run soak`. Both drive the built server.
it('a server that is killed under load, in start-up, in shutdown and in a rebuild loses, doubles and reorders nothing', async () => {
  const { kills, acknowledged, faults } = await crash({ kills: 8, seed: 21, killsALedger: 8 });
  expect(faults).toEqual([]);
  expect(Object.keys(kills).length).toBeGreaterThan(2);
  expect(acknowledged).toBeGreaterThan(50);
}, 120_000);
