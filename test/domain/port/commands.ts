import fc from 'fast-check';
import { serverPort } from './site.ts';
import { subnetId } from './surroundings.ts';

export const hosts = ['host-a', 'host-b'];

export type Given = readonly [type: string, data: object];

const host = fc.constantFrom(...hosts);
const reporter = fc.record({ host: fc.constantFrom(...hosts, 'host-z') });
const address = fc.constantFrom('10.0.0.2', '10.0.0.3').map((ipAddress) => ({ fixedIps: [{ subnetId, ipAddress }] }));
const entity = fc.constantFrom('L2', 'DHCP', 'storage');
const nothing = fc.constant({});

const of = <T extends object>(type: string, data: fc.Arbitrary<T>) => fc.tuple(fc.constant(type), data);

/** What may be asked of a server's port, in any order: by users, agents, migrations. */
export const portCommand: fc.Arbitrary<Given> = fc.oneof(
  {
    weight: 2,
    arbitrary: of(
      'CreatePort',
      fc.record({ host: fc.option(host) }).map((given) => ({ ...serverPort, ...given })),
    ),
  },
  { weight: 3, arbitrary: of('BindPort', fc.record({ host })) },
  { weight: 1, arbitrary: of('UnbindPort', nothing) },
  { weight: 1, arbitrary: of('DeletePort', nothing) },
  { weight: 2, arbitrary: of('UpdatePort', fc.record({ adminStateUp: fc.boolean() })) },
  { weight: 2, arbitrary: of('UpdatePort', address) },
  { weight: 1, arbitrary: of('UpdatePort', fc.record({ profile: fc.record({ p: fc.nat(2) }) })) },
  { weight: 3, arbitrary: of('RequestDeviceDetails', reporter) },
  { weight: 5, arbitrary: of('ReportDeviceUp', reporter) },
  { weight: 2, arbitrary: of('ReportDeviceDown', reporter) },
  { weight: 4, arbitrary: of('ReportDhcpReady', nothing) },
  { weight: 2, arbitrary: of('AddBinding', fc.record({ host })) },
  { weight: 2, arbitrary: of('ActivateBinding', fc.record({ host })) },
  { weight: 1, arbitrary: of('RemoveBinding', fc.record({ host })) },
  { weight: 1, arbitrary: of('AddBinding', fc.record({ host, migration: fc.constantFrom('m-1', 'm-2') })) },
  { weight: 1, arbitrary: of('ReportMigrationEnded', fc.constant({ migration: 'm-1', outcome: 'failed' })) },
  { weight: 1, arbitrary: of('SetPortStatus', fc.record({ status: fc.constantFrom('DOWN', 'BUILD', 'ERROR') })) },
  { weight: 1, arbitrary: of('AddProvisioningComponent', fc.constant({ entity: 'storage' })) },
  { weight: 1, arbitrary: of('RemoveProvisioningComponent', fc.record({ entity })) },
  { weight: 2, arbitrary: of('ProvisioningComplete', fc.constant({ entity: 'storage' })) },
);
