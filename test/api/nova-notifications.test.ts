import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { FakeServer } from '../client/fake-server.ts';
import { novaAnswers, serverId } from '../runtime/notifier-nova.ts';
import { eventually, portId, startLedger } from './support.ts';

let nova: FakeServer;
let knowsServer: boolean;
beforeEach(async () => {
  knowsServer = false;
  nova = await FakeServer.playing(novaAnswers(() => (knowsServer ? 200 : 404)));
});
afterEach(() => nova.close());

const open = () => startLedger(['--nova-notify-url', `${nova.url}/v2.1`, '--nova-notify-batch-ms', '10']);
type Ledger = Awaited<ReturnType<typeof open>>;

/** A port of a server, which has become ACTIVE: Nova is told. */
async function plug({ command }: Ledger): Promise<void> {
  await command('CreatePort', { deviceId: serverId, deviceOwner: 'compute:nova' });
  await command('ObservePort', { source: 'neutron', status: 'ACTIVE' });
}

/** The port was ACTIVE because somebody said so: that is another thing that is worth a look, and none of this story. */
const refusal = 'notification-refused';

const stateOf = async ({ get }: Ledger) => (await get(`/v1/ports/${portId}`)).body;

describe('a port of whose plugging Nova does not want to know', () => {
  test('says so, is found by the doctor, and is told again by the command that it is given', async () => {
    const ledger = await open();
    await plug(ledger);
    await eventually(() => stateOf(ledger)).toMatchObject({
      status: 'ACTIVE',
      refusedNotification: { name: 'network-vif-plugged', server: serverId, code: 404, attempts: 1 },
    });
    const { revision } = await stateOf(ledger);

    const { body: why } = await ledger.get(`/v1/ports/${portId}/why`);
    expect(why.hints.filter(({ what }: { what: string }) => what === refusal)).toMatchObject([
      {
        summary: `Nova was told network-vif-plugged (completed) for the server ${serverId}, and refused it: 404, Nova knows no such server. It is not told again unasked.`,
        proof: [{ type: 'NotificationRefused', revision }],
      },
    ]);
    const { body: doctor } = await ledger.get('/v1/doctor?kind=port');
    const finding = doctor.findings.find(({ kind }: { kind: string }) => kind === refusal);
    expect(finding).toMatchObject({ resource: { id: portId } });

    knowsServer = true;
    const { path, body } = finding.command;
    const answer = await ledger.post(path, body);
    expect(answer.body.events).toMatchObject([{ type: 'NotificationRepeated' }]);
    expect(answer.body.state).not.toHaveProperty('refusedNotification');
    await eventually(() => nova.requests.length).toBe(2);
    expect(JSON.parse(nova.requests[1]!.body)).toEqual(JSON.parse(nova.requests[0]!.body));
    expect((await ledger.get(`/v1/ports/${portId}/why`)).text).not.toContain(refusal);
  });

  test('says so no more when there is something newer to tell', async () => {
    const ledger = await open();
    await plug(ledger);
    await eventually(() => stateOf(ledger)).toHaveProperty('refusedNotification');
    knowsServer = true;
    await ledger.command('ObservePort', { source: 'neutron', status: 'DOWN' });
    expect(await stateOf(ledger)).not.toHaveProperty('refusedNotification');
  });

  test('cannot be made up from outside', async () => {
    const ledger = await open();
    await plug(ledger);
    const made = { server: serverId, name: 'x', revision: 0, code: 404, detail: 'x', attempts: 1 };
    const answer = await ledger.command('RecordRefusedNotification', made);
    expect([answer.status, answer.body.type]).toEqual([400, expect.stringContaining('unknown-command')]);
  });
});
