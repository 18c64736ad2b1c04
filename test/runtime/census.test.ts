import { describe, expect, test } from 'vitest';
import { openStore } from '../../src/store/open-store.ts';
import { flaky } from '../support/flaky-store.ts';
import { done, nthId, openLedger, slugOf } from '../support/ledger.ts';

const [first, second] = [nthId(1), nthId(2)];

/** One deployment at a time, on a disk that may fail. */
async function oneAtATime() {
  const disk = flaky(await openStore('memory:', { clock: 'manual', now: () => 0 }));
  const ledger = await openLedger({ store: disk.store, settings: { maxConcurrentDeploy: 1 } });
  const deploy = (id: string) => ledger.execute('node', id, 'SetProvisionState', { target: 'active' });
  for (const id of [first, second])
    done(await ledger.execute('node', id, 'EnrollNode', { provisionState: 'available' }));
  return { ...ledger, disk, deploy };
}

describe('what a decision knows of other nodes', () => {
  test('counts one that is decided on and not yet on the disk', async () => {
    const { deploy, disk } = await oneAtATime();
    disk.hold();
    const outcomes = [deploy(first), deploy(second)];
    disk.release();
    expect((await Promise.all(outcomes)).map(slugOf)).toEqual([null, 'concurrent-action-limit']);
  });

  test('does not count one whose deployment was never stored', async () => {
    const { deploy, disk } = await oneAtATime();
    disk.failNext(1);
    await expect(deploy(first)).rejects.toThrow('disk is full');
    done(await deploy(second));
  });

  test('counts, after a start, what was under way before it', async () => {
    const before = await oneAtATime();
    done(await before.deploy(first));
    const after = await openLedger({ store: before.store, settings: { maxConcurrentDeploy: 1 } });
    await after.runtime.takeUp({ kind: 'node', id: first });
    expect(slugOf(await after.execute('node', second, 'SetProvisionState', { target: 'active' }))).toBe(
      'concurrent-action-limit',
    );
  });
});
