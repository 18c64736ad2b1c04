import { expect, it, onTestFinished } from 'vitest';
import { damage } from '../soak/damage.ts';
import { fillDisk, limitedFiles } from '../soak/disk.ts';

// The long forms are `npm run soak -- --faults`.
it('a ledger whose file or log was cut off, overwritten or lost in part is refused, or its faults are named, or it is whole up to some moment', async () => {
  const { outcomes, faults } = await damage({ trials: 14, seed: 5 });
  expect(faults).toEqual([]);
  const logs = Object.entries(outcomes).filter(([what]) => / log\b.*: whole$/.test(what) && !what.includes('file'));
  expect(logs.map(([, count]) => count)).toEqual([2, 2, 2]);
}, 60_000);

it('a server whose disk takes nothing more says so, answers what it can, and goes on when there is room', async () => {
  const trouble = limitedFiles();
  onTestFinished(() => trouble.remove());
  const { acknowledged, faults } = await fillDisk({ rounds: 2, seed: 3, trouble });
  expect(faults).toEqual([]);
  expect(acknowledged).toBeGreaterThan(0);
}, 60_000);
