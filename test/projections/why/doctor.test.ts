import { describe, expect, test } from 'vitest';
import { aggregates } from '../../../src/domain/aggregates.ts';
import type { Kind } from '../../../src/domain/kernel/resource.ts';
import type { Proof, Remedy } from '../../../src/domain/why/explanation.ts';
import type { DoctorPage, Finding } from '../../../src/domain/why/findings.ts';
import { sharedLedger } from '../../api/support.ts';
import { type Story, storyOn, tunnels } from './site.ts';

/** Every finding, from page to page. */
async function findings(it: Story, limit = 3): Promise<Finding<Proof>[]> {
  const { next: head } = await it.ask('/v1/events?kind=port&id=-&limit=1');
  const found: Finding<Proof>[] = [];
  for (let marker: string | null = null, first = true; first || marker !== null; first = false) {
    const at: string = marker === null ? '' : `&marker=${marker}`;
    const page: DoctorPage<Proof> = await it.ask(`/v1/doctor?limit=${limit}&min_position=${head}${at}`);
    expect(page.examined).toBeLessThanOrEqual(limit);
    found.push(...page.findings);
    marker = page.next;
  }
  return found;
}

const kindsOf = (found: readonly Finding<Proof>[], id: string) =>
  found.filter(({ resource }) => resource.id === id).map(({ kind }) => kind);

/** Whether a remedy is a command that the resource knows, as it stands. */
function isCommand({ path, body }: Remedy): boolean {
  const kind = /^\/v1\/(\w+)s\//.exec(path)![1] as Kind;
  return aggregates[kind].commands[body.type]!.safeParse(body.data).success;
}

describe('the doctor', () => {
  const ledger = sharedLedger();

  test('finds what nobody can clear, and nothing on what is well; its commands mend', async () => {
    const it = storyOn(ledger());
    const [stuck, well] = [it.id(1), it.id(2)];
    await it.register(it.agent('a'), tunnels);
    await it.register(it.agent('b'), tunnels);
    const net = await it.network(0x10);
    for (const [port, on] of [
      [stuck, 'a'],
      [well, 'b'],
    ] as const) {
      await it.tell('port', port, 'CreatePort', { ...net, deviceOwner: 'compute:nova', host: it.host(on) });
    }
    await it.kill(it.agent('a'));
    const found = await findings(it);
    expect(kindsOf(found, stuck)).toEqual(['block-nobody-can-clear']);
    expect(kindsOf(found, well)).toEqual([]);
    const [finding] = found.filter(({ resource }) => resource.id === stuck);
    expect(finding!.evidence).toMatchObject([{ type: 'ProvisioningComponentAdded', stream: `port-${stuck}` }]);
    const { path, body } = finding!.command!;
    expect((await it.post(path, body)).status).toBe(200);
    expect(kindsOf(await findings(it), stuck)).toEqual([]);
  });

  test('C006: tells a binding that a dead migration left from one in use, and how to clear it', async () => {
    const it = storyOn(ledger());
    const [left, used] = [it.id(1), it.id(2)];
    for (const [port, migration] of [
      [left, 'm-1'],
      [used, 'm-2'],
    ] as const) {
      await it.tell('port', port, 'CreatePort', { deviceOwner: 'compute:nova', host: it.host('a') });
      await it.tell('port', port, 'AddBinding', { host: it.host('b'), migration });
    }
    await it.tell('port', left, 'ReportMigrationEnded', { migration: 'm-1', outcome: 'failed' });
    const found = await findings(it);
    expect(kindsOf(found, left)).toContain('leftover-binding');
    expect(kindsOf(found, used)).not.toContain('leftover-binding');
    const { command } = found.find(({ kind, resource }) => kind === 'leftover-binding' && resource.id === left)!;
    expect((await it.post(command!.path, command!.body)).status).toBe(200);
    expect(kindsOf(await findings(it), left)).not.toContain('leftover-binding');
  });

  test('finds the lock of a dead holder, and breaks it', async () => {
    const it = storyOn(ledger());
    const node = it.id(1);
    await it.register(it.agent('c', 'conductor'));
    await it.tell('node', node, 'EnrollNode', { provisionState: 'available' });
    await it.tell('node', node, 'ReserveNode', { holder: it.host('c'), purpose: 'console' });
    expect(kindsOf(await findings(it), node)).toEqual([]);
    await it.kill(it.agent('c', 'conductor'));
    const found = await findings(it);
    expect(kindsOf(found, node)).toEqual(['reservation-of-dead-holder']);
    const { command } = found.find(({ resource }) => resource.id === node)!;
    expect((await it.post(command!.path, command!.body)).status).toBe(200);
    expect(kindsOf(await findings(it), node)).toEqual([]);
  });

  test('finds servers, nodes and ports that tell different stories', async () => {
    const it = storyOn(ledger());
    const [server, node, port, gone] = [it.id(1), it.id(2), it.id(3), it.id(4)];
    await it.tell('node', node, 'EnrollNode', { provisionState: 'available' });
    await it.tell('server', server, 'CreateServer', { name: 'web', ports: [port] });
    await it.tell('server', server, 'ServerScheduled', { host: it.host('a') });
    await it.tell('server', server, 'ReportBuildSuccess', {});
    await it.tell('server', server, 'ReceiveExternalEvent', { name: 'network-vif-plugged', tag: port });
    await it.tell('port', port, 'CreatePort', { deviceOwner: 'compute:nova', deviceId: it.id(9), host: it.host('b') });
    await it.tell('node', node, 'UpdateNode', { instanceId: gone });
    await it.tell('server', gone, 'CreateServer', { name: 'short-lived' });
    await it.tell('server', gone, 'DeleteServer');
    const found = await findings(it);
    expect(kindsOf(found, server)).toEqual(['port-of-another']);
    expect(kindsOf(found, node)).toEqual([]);
    for (const { command } of found) expect(command === null || isCommand(command)).toBe(true);
  });

  test('C046: finds what stays longer than others did', async () => {
    const it = storyOn(ledger());
    const late = it.id(0x100);
    const quick = Array.from({ length: 25 }, (_, n) => it.id(n)).flatMap((id) => [
      { kind: 'server', id, type: 'CreateServer', data: { name: 'quick' } },
      { kind: 'server', id, type: 'ServerScheduled', data: { host: it.host('a') } },
      { kind: 'server', id, type: 'ReportBuildSuccess', data: {} },
    ]);
    for (const verdict of await it.bulk(quick)) expect(verdict).toMatchObject({ status: 200 });
    await it.tell('server', late, 'CreateServer', { name: 'late' });
    expect(kindsOf(await findings(it, 100), late)).toEqual([]);
    await it.post('/v1/clock', { advance: 'PT16M' });
    const found = await findings(it, 100);
    expect(kindsOf(found, late)).toEqual(['longer-than-usual']);
    expect(kindsOf(found, it.id(0))).toEqual([]);
  });

  test('C013: finds what does not keep still', async () => {
    const it = storyOn(ledger());
    const port = it.id(1);
    await it.tell('port', port, 'CreatePort', { host: it.host('a') });
    for (const status of ['ACTIVE', 'DOWN', 'ERROR', 'DOWN', 'ACTIVE', 'DOWN', 'ACTIVE']) {
      await it.tell('port', port, 'SetPortStatus', { status });
    }
    expect(kindsOf(await findings(it, 100), port)).toContain('flapping');
    const why = await it.why('port', port);
    expect(why.hints.find(({ what }) => what === 'flapping')!.summary).toMatch(/changed its status \d times within/);
  });

  test('does not take a marker of its own making for another’s', async () => {
    const it = storyOn(ledger());
    for (const marker of ['nonsense', 'port.nonsense']) {
      expect((await it.get(`/v1/doctor?marker=${marker}`)).status).toBe(400);
    }
  });
});
