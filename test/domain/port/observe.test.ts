import { describe } from 'vitest';
import { portAggregate } from '../../../src/domain/port/index.ts';
import { story } from '../../support/story.ts';

const source = 'neutron at site-1';
const working = { source, status: 'ACTIVE', host: 'host-a', vifType: 'ovs', vifDetails: { bridge_name: 'br-int' } };

describe('a port that an outside system shows', () => {
  story('begins its life as it is shown, if it was unknown', portAggregate, [], (it) =>
    it
      .when('ObservePort', { ...working, name: 'eth0', deviceOwner: 'compute:nova' })
      .events('PortCreated', 'BindingRequested', 'PortBound', 'PortStatusChanged', 'PortObserved')
      .state({
        name: 'eth0',
        status: 'ACTIVE',
        blocks: [],
        binding: { host: 'host-a', vifType: 'ovs', driver: null, vifDetails: { bridge_name: 'br-int' } },
        observation: { source, status: 'ACTIVE', unexpected: false },
      })
      .when('ObservePort', { ...working, name: 'eth0', deviceOwner: 'compute:nova' })
      .events(),
  );

  story('is taken over as it is shown, and flagged where the rules would not have led there', portAggregate, [], (it) =>
    it
      .when('CreatePort', { host: 'host-a' })
      .when('AddProvisioningComponent', { entity: 'storage' })
      .when('ObservePort', { source, status: 'BUILD' })
      .events('PortStatusChanged', 'PortObserved')
      .state({ status: 'BUILD', observation: { unexpected: false } })
      .when('ObservePort', { source, status: 'ACTIVE' })
      .events('ProvisioningComponentRemoved', 'PortStatusChanged', 'PortObserved')
      .state({ status: 'ACTIVE', blocks: [], observation: { unexpected: true } })
      .when('ObservePort', { source, status: 'DOWN', host: null })
      .state({ status: 'DOWN', binding: { host: null, vifType: 'unbound' }, observation: { unexpected: false } })
      .when('ObservePort', { source, status: 'ERROR' })
      .state({ status: 'ERROR', observation: { unexpected: true } }),
  );

  story('is bound in some way where it works, whatever is known of it', portAggregate, [], (it) =>
    it
      .when('ObservePort', { source, status: 'ACTIVE', host: 'host-a' })
      .state({ status: 'ACTIVE', binding: { host: 'host-a', vifType: 'other' } })
      .when('ObservePort', { source, status: 'DOWN', host: 'host-b', vifType: 'binding_failed' })
      .state({ status: 'DOWN', binding: { host: 'host-b', vifType: 'binding_failed' } }),
  );

  story('is deleted when it is shown as deleted', portAggregate, [{ type: 'CreatePort' }], (it) =>
    it
      .when('ObservePort', { source, status: 'DOWN', deleted: true })
      .events('PortDeleted', 'PortObserved')
      .when('ObservePort', { source, status: 'DOWN', deleted: true })
      .events()
      .when('UpdatePort', { name: 'x' })
      .refused('port-deleted'),
  );

  story('stays deleted, whatever is said of it later', portAggregate, [{ type: 'CreatePort' }], (it) =>
    it
      .when('DeletePort')
      .when('ObservePort', { ...working, observedAt: '2025-12-31T23:59:59.000Z' })
      .events('PortObserved')
      .state({ observation: null, lateObservation: { late: true } })
      .when('ObservePort', working)
      .events('PortObserved')
      .when('ObservePort', working)
      .events()
      .when('UpdatePort', { name: 'x' })
      .refused('port-deleted'),
  );

  story('does not go back to what was shown earlier', portAggregate, [], (it) =>
    it
      .when('ObservePort', { ...working, observedAt: '2026-01-01T00:00:10.000Z' })
      .when('ObservePort', { source, status: 'DOWN', observedAt: '2026-01-01T00:00:09.000Z' })
      .events('PortObserved')
      .state({ status: 'ACTIVE', observation: { status: 'ACTIVE' }, lateObservation: { status: 'DOWN' } })
      .when('ObservePort', { source, status: 'DOWN', observedAt: '2026-01-01T00:00:09.000Z' })
      .events(),
  );

  story('nor after it was shown to be as before at a later moment', portAggregate, [], (it) =>
    it
      .when('ObservePort', { ...working, observedAt: '2026-01-01T00:00:01.000Z' })
      .when('ObservePort', { ...working, observedAt: '2026-01-01T00:00:10.000Z' })
      .events('PortObserved')
      .when('ObservePort', { source, status: 'DOWN', observedAt: '2026-01-01T00:00:05.000Z' })
      .state({ status: 'ACTIVE' }),
  );

  story('is deleted also by news that others have overtaken', portAggregate, [], (it) =>
    it
      .when('ObservePort', { ...working, observedAt: '2026-01-01T00:00:10.000Z' })
      .when('ObservePort', { source, status: 'ACTIVE', deleted: true, observedAt: '2026-01-01T00:00:05.000Z' })
      .events('PortDeleted', 'PortObserved'),
  );

  story('keeps a status nobody knows as it was said', portAggregate, [], (it) =>
    it
      .when('ObservePort', { source, status: 'QUARANTINED', host: 'host-a' })
      .state({ status: 'QUARANTINED', observation: { unexpected: true } })
      .when('UpdatePort', { name: 'still usable' })
      .when('SetPortStatus', { status: 'DOWN' })
      .state({ name: 'still usable', status: 'DOWN' }),
  );
});
