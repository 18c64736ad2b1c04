import { describe } from 'vitest';
import { portAggregate } from '../../../src/domain/port/index.ts';
import { story } from '../../support/story.ts';

/** Bound to a host whose network the ledger knows nothing about, so nobody is awaited but those named here. */
const created = { type: 'CreatePort', data: { host: 'host-a' } };
const onHostA = { host: 'host-a', generation: 1 };
const blockedBy = (entity: string) => ({ type: 'AddProvisioningComponent', data: { entity } });
const completedBy = (entity: string) => ({ type: 'ProvisioningComplete', data: { entity } });

describe('a port that waits for its L2 and DHCP agents', () => {
  const waiting = [created, blockedBy('L2'), blockedBy('DHCP')];

  story('becomes ACTIVE with the report of the last, in the same append', portAggregate, waiting, (it) =>
    it
      .when('ProvisioningComplete', { entity: 'DHCP', host: 'host-a' })
      .leadsTo({ type: 'ProvisioningComponentCompleted', data: { entity: 'DHCP', host: 'host-a', early: false } })
      .state({ status: 'DOWN', blocks: [{ entity: 'L2' }] })
      .when('ProvisioningComplete', { entity: 'L2' })
      .leadsTo(
        { type: 'ProvisioningComponentCompleted', data: { entity: 'L2', early: false } },
        { type: 'PortProvisioned', data: { entity: 'L2' } },
        { type: 'PortStatusChanged', data: { from: 'DOWN', to: 'ACTIVE', cause: 'provisioned', ...onHostA } },
      )
      .state({ status: 'ACTIVE', blocks: [] }),
  );

  story('does not hang when the second block is lifted instead of completed', portAggregate, waiting, (it) =>
    it
      .when('ProvisioningComplete', { entity: 'L2' })
      .when('RemoveProvisioningComponent', { entity: 'DHCP', reason: 'no DHCP agent' })
      .leadsTo(
        { type: 'ProvisioningComponentRemoved', data: { entity: 'DHCP', reason: 'no DHCP agent' } },
        { type: 'PortProvisioned', data: { entity: 'L2' } },
        { type: 'PortStatusChanged', data: { from: 'DOWN', to: 'ACTIVE', cause: 'provisioned', ...onHostA } },
      ),
  );

  story('stays DOWN when both blocks are lifted and nobody ever reported', portAggregate, waiting, (it) =>
    it
      .when('RemoveProvisioningComponent', { entity: 'L2' })
      .when('RemoveProvisioningComponent', { entity: 'DHCP' })
      .events('ProvisioningComponentRemoved')
      .state({ status: 'DOWN', blocks: [] }),
  );

  story('takes each report once, however often it is sent', portAggregate, waiting, (it) =>
    it
      .when('ProvisioningComplete', { entity: 'L2' })
      .events('ProvisioningComponentCompleted')
      .when('ProvisioningComplete', { entity: 'L2' })
      .events()
      .when('ProvisioningComplete', { entity: 'DHCP' })
      .events('ProvisioningComponentCompleted', 'PortProvisioned', 'PortStatusChanged')
      .when('ProvisioningComplete', { entity: 'DHCP' })
      .events(),
  );

  story(
    'takes nothing from a report that nobody asked for, not even when nobody is awaited any more',
    portAggregate,
    waiting,
    (it) =>
      it
        .when('ProvisioningComplete', { entity: 'storage' })
        .events()
        .when('RemoveProvisioningComponent', { entity: 'DHCP' })
        .when('RemoveProvisioningComponent', { entity: 'L2' })
        .events('ProvisioningComponentRemoved')
        .state({ status: 'DOWN', blocks: [] })
        .when('ProvisioningComplete', { entity: 'storage' })
        .events('ProvisioningComponentCompleted', 'PortProvisioned', 'PortStatusChanged'),
  );

  story('tells entities apart to the letter', portAggregate, waiting, (it) =>
    it.when('ProvisioningComplete', { entity: 'dhcp' }).state({ blocks: [{ entity: 'L2' }, { entity: 'DHCP' }] }),
  );
});

describe('a port that was wired and must be wired again', () => {
  const wired = [created, blockedBy('L2'), completedBy('L2')];

  story('is never ACTIVE and blocked', portAggregate, wired, (it) =>
    it
      .state({ status: 'ACTIVE' })
      .when('AddProvisioningComponent', { entity: 'DHCP', reason: 'address changed' })
      .leadsTo(
        { type: 'ProvisioningComponentAdded', data: { entity: 'DHCP', reason: 'address changed' } },
        { type: 'PortStatusChanged', data: { from: 'ACTIVE', to: 'BUILD', cause: 'blocked-again', ...onHostA } },
      )
      .when('SetPortStatus', { status: 'ACTIVE' })
      .refused('port-blocked'),
  );

  story(
    'is ACTIVE again when it need not wait after all: the others have done their part',
    portAggregate,
    wired,
    (it) =>
      it
        .when('AddProvisioningComponent', { entity: 'DHCP' })
        .state({ status: 'BUILD', round: { number: 2, completed: [{ entity: 'L2' }], provisioned: null } })
        .when('RemoveProvisioningComponent', { entity: 'DHCP' })
        .leadsTo(
          { type: 'ProvisioningComponentRemoved', data: { entity: 'DHCP', reason: 'requested' } },
          { type: 'PortProvisioned', data: { entity: 'L2' } },
          { type: 'PortStatusChanged', data: { from: 'BUILD', to: 'ACTIVE', cause: 'provisioned', ...onHostA } },
        ),
  );

  story('waits for the same entity again, whose old completion counts no more', portAggregate, wired, (it) =>
    it
      .when('AddProvisioningComponent', { entity: 'L2' })
      .state({ status: 'BUILD', round: { number: 2, completed: [] } })
      .when('ProvisioningComplete', { entity: 'DHCP' })
      .events()
      .when('ProvisioningComplete', { entity: 'L2' })
      .events('ProvisioningComponentCompleted', 'PortProvisioned', 'PortStatusChanged'),
  );

  story('starts over when somebody takes it out of ACTIVE', portAggregate, wired, (it) =>
    it
      .when('SetPortStatus', { status: 'DOWN', reason: 'cable pulled' })
      .leadsTo({
        type: 'PortStatusChanged',
        data: { from: 'ACTIVE', to: 'DOWN', cause: 'set', reason: 'cable pulled', ...onHostA },
      })
      .state({ round: { number: 2, completed: [], provisioned: null } })
      .when('ProvisioningComplete', { entity: 'L2' })
      .events('ProvisioningComponentCompleted', 'PortProvisioned', 'PortStatusChanged'),
  );
});

describe('a port that is bound to no host', () => {
  story('is provisioned, but never ACTIVE: that comes with the binding', portAggregate, [], (it) =>
    it
      .when('CreatePort')
      .when('AddProvisioningComponent', { entity: 'storage' })
      .when('ProvisioningComplete', { entity: 'storage' })
      .events('ProvisioningComponentCompleted', 'PortProvisioned')
      .state({ status: 'DOWN', binding: { host: null, vifType: 'unbound', driver: null } })
      .when('SetPortStatus', { status: 'ACTIVE' })
      .refused('port-not-bound')
      .when('BindPort', { host: 'host-a' })
      .events('BindingRequested', 'PortBound', 'PortStatusChanged')
      .state({ status: 'ACTIVE' }),
  );

  story('begins the next round when it is blocked again', portAggregate, [], (it) =>
    it
      .when('CreatePort')
      .when('ProvisioningComplete', { entity: 'L2' })
      .when('AddProvisioningComponent', { entity: 'DHCP' })
      .when('RemoveProvisioningComponent', { entity: 'DHCP' })
      .events('ProvisioningComponentRemoved')
      .state({ round: { number: 2, completed: [], provisioned: null } }),
  );
});

describe('a port without any block', () => {
  story('is provisioned by the first report, and only by the first', portAggregate, [created], (it) =>
    it
      .when('ProvisioningComplete', { entity: 'L2' })
      .events('ProvisioningComponentCompleted', 'PortProvisioned', 'PortStatusChanged')
      .when('ProvisioningComplete', { entity: 'DHCP' })
      .events(),
  );

  story('that was wired while administratively down becomes ACTIVE when set up', portAggregate, [], (it) =>
    it
      .when('CreatePort', { host: 'host-a', adminStateUp: false })
      .when('ProvisioningComplete', { entity: 'L2' })
      .events('ProvisioningComponentCompleted', 'PortProvisioned')
      .state({ status: 'DOWN' })
      .when('UpdatePort', { adminStateUp: true })
      .events('PortUpdated', 'PortStatusChanged')
      .state({ status: 'ACTIVE' }),
  );

  story('forgets its blocks when it is deleted and created anew', portAggregate, [created, blockedBy('L2')], (it) =>
    it
      .when('DeletePort')
      .events('PortDeleted')
      .when('DeletePort')
      .events()
      .when('ProvisioningComplete', { entity: 'L2' })
      .refused('port-deleted')
      .when('CreatePort')
      .events('PortCreated')
      .state({ blocks: [], status: 'DOWN', binding: { host: null } }),
  );

  story('is created once: the same again is done, another is refused', portAggregate, [created], (it) =>
    it
      .when('CreatePort', { host: 'host-a' })
      .events()
      .when('CreatePort', { host: 'host-a', name: 'other' })
      .refused('port-exists')
      .when('CreatePort', { host: 'host-b' })
      .refused('port-exists')
      .when('UpdatePort', { name: 'other', adminStateUp: true })
      .leadsTo({ type: 'PortUpdated', data: { changes: { name: 'other' } } })
      .when('UpdatePort', { name: 'other' })
      .events(),
  );

  story('that never existed is not found', portAggregate, [], (it) =>
    it
      .when('ProvisioningComplete', { entity: 'L2' })
      .refused('port-not-found')
      .when('DeletePort')
      .refused('port-not-found'),
  );
});
