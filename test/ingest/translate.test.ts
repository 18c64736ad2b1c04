import { readdirSync, readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Translation, translate } from '../../src/ingest/translate.ts';

const samples = new URL('../vectors/notifications/', import.meta.url);
const sample = (file: string) => JSON.parse(readFileSync(new URL(file, samples), 'utf8'));
const portId = '42a5e466-2c4e-4c58-b357-8b2459891066';
const nodeId = '1be26c0b-03f2-4d2e-ae87-c02d7f33c123';
const serverId = '178b0921-8f85-4257-88b6-2e743b5a975c';

/** The only observation that a message leads to. */
function only(translation: Translation) {
  if (translation.outcome !== 'observed') throw new Error(translation.reason);
  expect(translation.observations).toHaveLength(1);
  return translation.observations[0]!;
}

const dataOf = (translation: Translation): Record<string, unknown> => only(translation).data;

describe('what each sample says', () => {
  const failure = (reason: string) => ({ failure: { reason } });
  const said: Record<string, object | null> = {
    'ironic-node-power_state_corrected-success.json': { provisionState: 'available', powerState: 'power off' },
    'ironic-node-provision_set-start.json': { provisionState: 'deploying', targetProvisionState: 'active' },
    'neutron-port-update-end.json': { status: 'ACTIVE', observedAt: '2026-05-28T12:00:00.000Z' },
    'nova-compute-exception.json': null,
    'nova-compute_task-build_instances-error.json': { vmState: 'error', taskState: null, ...failure('NoValidHost') },
    'nova-compute_task-migrate_server-error.json': { vmState: 'active', taskState: null },
    'nova-instance-create-end.json': { vmState: 'active', powerState: 1, host: 'compute' },
    'nova-instance-create-error.json': { vmState: 'building', host: null, ...failure('FlavorDiskTooSmall') },
    'nova-instance-delete-end.json': { vmState: 'deleted' },
    'nova-instance-delete-end_not_scheduled.json': { vmState: 'deleted', host: null, launchedAt: null },
    'nova-instance-exists.json': { vmState: 'active', taskState: 'rebuilding' },
    'nova-instance-live_migration_post_dest-end.json': { vmState: 'active', host: 'host2' },
    'nova-instance-power_off-start.json': { vmState: 'active', taskState: 'powering-off' },
    'nova-instance-rescue-end.json': { vmState: 'rescued', powerState: 4 },
    'nova-instance-shelve_offload-end.json': { vmState: 'shelved_offloaded', host: null },
    'nova-instance-soft_delete-end.json': { vmState: 'soft-delete' },
    'nova-instance-update.json': { vmState: 'active', taskState: 'scheduling', powerState: 0 },
    'nova-scheduler-select_destinations-start.json': null,
    'site-node-power_set-during-clean-failed.json': {
      provisionState: 'clean failed',
      targetProvisionState: 'available',
      observedAt: '2025-02-27T20:31:36.466Z',
      lastError: null,
    },
    'site-node-provision_set-end-active.json': { provisionState: 'active', instanceId: expect.any(String) },
    'site-node-provision_set-end-double-encoded.json': { provisionState: 'active' },
  };

  test.each(readdirSync(samples))('%s', (file) => {
    const translation = translate(readFileSync(new URL(file, samples), 'utf8'));
    const expected = said[file];
    if (expected === null) expect(translation.outcome).toBe('skipped');
    else expect(dataOf(translation)).toMatchObject(expected!);
  });

  test('an event type that nobody records is skipped, whatever its payload', () => {
    expect(translate({ event_type: 'identity.user.created', payload: {} })).toMatchObject({ outcome: 'skipped' });
    expect(translate({ event_type: 'network.create.end', payload: { network: {} } })).toMatchObject({
      outcome: 'skipped',
    });
  });
});

describe('the wrappings in which a message comes', () => {
  const plain = sample('neutron-port-update-end.json');
  const text = JSON.stringify(plain);
  const wrapped = { 'oslo.version': '2.0', 'oslo.message': text };

  test.each<[string, unknown]>([
    ['an object', plain],
    ['text', text],
    ['text in text', JSON.stringify(text)],
    ['oslo.message as text', wrapped],
    ['oslo.message as text, as text', JSON.stringify(wrapped)],
    ['oslo.message as an object', { 'oslo.version': '2.0', 'oslo.message': plain }],
    ['oslo.message in oslo.message', { 'oslo.version': '2.0', 'oslo.message': JSON.stringify(wrapped) }],
    ['a payload as text', { ...plain, payload: JSON.stringify(plain.payload) }],
  ])('%s', (_name, message) => {
    expect(only(translate(message))).toEqual(only(translate(plain)));
  });

  test('the source names who said it, on what occasion, and in which message', () => {
    expect(dataOf(translate(plain)).source).toBe('network.myhost port.update.end f6b2e828-4a28-47b7-8f9d-96a3185bcdb0');
  });

  test.each([
    ['2026-05-28 12:00:00.123456', '2026-05-28T12:00:00.123Z'],
    ['2026-05-28T12:00:00', '2026-05-28T12:00:00.000Z'],
    ['2026-05-28T14:00:00+02:00', '2026-05-28T12:00:00.000Z'],
    ['yesterday', undefined],
  ])('sent at %s', (timestamp, observedAt) => {
    expect(dataOf(translate({ ...plain, timestamp })).observedAt).toBe(observedAt);
  });
});

describe('Nova before its notifications had versions', () => {
  const update = (payload: object) => ({ event_type: 'compute.instance.update', payload });

  test('says the task in the description of the state', () => {
    const payload = { instance_id: serverId, state: 'active', state_description: 'powering-off', host: 'h-1' };
    expect(dataOf(translate(update(payload)))).toMatchObject({ vmState: 'active', taskState: 'powering-off' });
    expect(dataOf(translate(update({ ...payload, state_description: '' })))).toMatchObject({ taskState: null });
    expect(dataOf(translate(update({ ...payload, launched_at: '' })))).toMatchObject({ launchedAt: null });
  });

  test('and whatever the state was, what is deleted is deleted', () => {
    const payload = { instance_id: serverId, state: 'error', state_description: 'deleting' };
    const message = { event_type: 'compute.instance.delete.end', payload };
    expect(dataOf(translate(message))).toMatchObject({ vmState: 'deleted', taskState: null });
  });
});

describe('Neutron', () => {
  const port = sample('neutron-port-update-end.json').payload.port;

  test('tells of all ports of a bulk request', () => {
    const other = { ...port, id: port.id.replace(/^4/, '5') };
    const translation = translate({ event_type: 'port.create.end', payload: { ports: [port, other] } });
    expect(translation).toMatchObject({ outcome: 'observed', observations: [{ id: port.id }, { id: other.id }] });
  });

  test('tells of a deletion with the port, or with its id alone', () => {
    const deletion = (payload: object) => dataOf(translate({ event_type: 'port.delete.end', payload }));
    expect(deletion({ port_id: portId, port })).toMatchObject({ deleted: true, status: 'ACTIVE', name: 'server-port' });
    expect(deletion({ port_id: portId })).toMatchObject({ deleted: true, status: 'DOWN' });
  });

  test('announces what it has not done', () => {
    const message = { event_type: 'port.update.start', payload: { id: portId, port: { name: 'x' } } };
    expect(translate(message)).toMatchObject({ outcome: 'skipped' });
  });

  test('tells of the binding, and details that cannot be right are left out', () => {
    const binding = { 'binding:host_id': 'h-1', 'binding:vif_type': 'ovs', 'binding:vnic_type': 'telepathic' };
    const message = { event_type: 'port.update.end', payload: { port: { ...port, ...binding, mac_address: 'none' } } };
    const data = dataOf(translate(message));
    expect(data).toMatchObject({ host: 'h-1', vifType: 'ovs' });
    expect(data).not.toHaveProperty('vnicType');
    expect(data).not.toHaveProperty('macAddress');
  });
});

describe('Ironic', () => {
  const message = sample('ironic-node-provision_set-start.json');
  const of = (eventType: string, more: object = {}) => {
    const data = { ...message.payload['ironic_object.data'], ...more };
    return translate({ ...message, event_type: eventType, payload: { 'ironic_object.data': data } });
  };

  test('says who works on the node, and through which interfaces', () => {
    expect(dataOf(translate(message))).toMatchObject({
      conductor: 'hostname01',
      interfaces: { deploy: 'direct', boot: 'pxe' },
      maintenance: null,
      extra: {},
    });
  });

  test('says the maintenance that is, and while it is set only the one that was asked for', () => {
    const set = { maintenance: true, maintenance_reason: 'disk', fault: 'clean failure' };
    expect(dataOf(of('baremetal.node.maintenance_set.end', set))).toMatchObject({
      maintenance: { reason: 'disk', fault: 'clean failure' },
    });
    expect(dataOf(of('baremetal.node.maintenance_set.start', set))).not.toHaveProperty('maintenance');
  });

  test('announces and regrets what has not been done', () => {
    for (const type of ['create.start', 'update.start', 'update.error', 'delete.start']) {
      expect(of(`baremetal.node.${type}`)).toMatchObject({ outcome: 'skipped' });
    }
    expect(dataOf(of('baremetal.node.delete.end'))).toMatchObject({ deleted: true });
  });

  test('keeps states that nobody knows', () => {
    const data = dataOf(of('baremetal.node.provision_set.end', { provision_state: 'quarantined' }));
    expect(data).toMatchObject({ provisionState: 'quarantined' });
    expect(dataOf(of('baremetal.node.provision_set.end', { provision_state: null }))).toMatchObject({
      provisionState: 'available',
    });
  });
});

describe('what cannot be understood', () => {
  test.each<[string, unknown]>([
    ['no JSON', 'hello'],
    ['no object', '[1]'],
    ['no event type', {}],
    ['no payload', { event_type: 'port.update.end' }],
    ['a payload that is no object', { event_type: 'port.update.end', payload: 'text' }],
    ['no resource', { event_type: 'port.update.end', payload: {} }],
    ['an id that is none', { event_type: 'port.update.end', payload: { port: { id: '7', status: 'DOWN' } } }],
    ['no state', { event_type: 'baremetal.node.provision_set.end', payload: { uuid: nodeId } }],
    ['a state that is no word', { event_type: 'instance.update', payload: { uuid: serverId, state: 7 } }],
  ])('%s is told, and is no fault', (_name, message) => {
    expect(translate(message)).toEqual({ outcome: 'rejected', reason: expect.stringMatching(/\.$/) });
  });

  test('whatever comes in place of a field, nothing is thrown', () => {
    const messages = readdirSync(samples).map(sample);
    const wreck = (value: unknown, path: readonly number[], by: unknown): unknown => {
      if (path.length === 0 || typeof value !== 'object' || value === null) return by;
      const keys = Object.keys(value);
      const key = keys[path[0]! % Math.max(keys.length, 1)] ?? 'x';
      return { ...value, [key]: wreck((value as Record<string, unknown>)[key], path.slice(1), by) };
    };
    fc.assert(
      fc.property(
        fc.constantFrom(...messages),
        fc.array(fc.nat(60), { maxLength: 5 }),
        fc.oneof(fc.jsonValue(), fc.string(), fc.constant('__proto__')),
        (message, path, by) => {
          expect(['observed', 'skipped', 'rejected']).toContain(translate(wreck(message, path, by)).outcome);
        },
      ),
      { numRuns: 500 },
    );
  });
});
