import { describe, expect, test } from 'vitest';
import { serverAggregate } from '../../../src/domain/server/index.ts';
import type { Server } from '../../../src/domain/server/state.ts';
import type { Resource } from '../../support/story.ts';
import { aServer, readVectors } from './support.ts';

const plugged = 'network-vif-plugged';

interface WaitCase {
  case: string;
  expected_events: [string, string][];
  timeout_s: number;
  deliveries: ([number, string, 'delivered' | 'dropped'] | ['before_wait', string])[];
  result: string;
  elapsed_s: number;
}
const { cases } = readVectors<{ cases: WaitCase[] }>('vif-wait-vectors.json');

/** A server about to boot whose events take no time. */
function aboutToBoot({ case: title, timeout_s }: WaitCase): Resource<Server> {
  const fatal = !/fatal=False|non-fatal/.test(title);
  const server = aServer({ vifPluggingTimeoutMs: timeout_s * 1000, vifPluggingIsFatal: fatal });
  const { record } = server;
  server.record = (event) => {
    const { now } = server;
    record.call(server, event);
    server.now = now;
  };
  server.execute('CreateServer');
  server.execute('ServerScheduled', { host: 'host-1' });
  return server;
}

/** Lets time pass as the ledger's clock does: what is due before then happens at its own moment. */
function pass(server: Resource<Server>, seconds: number): void {
  const then = server.now + seconds * 1000;
  for (const { at, command } of serverAggregate.deadlines!(server.state!, null)) {
    if (Date.parse(at) > then) continue;
    server.now = Date.parse(at);
    server.execute(command.type, command.data);
  }
  server.now = then;
}

/** Whether the event ended a wait. One that does not is not lost: it is kept with what became of it. */
function deliver(server: Resource<Server>, text: string): boolean {
  const [name, tag, status] = text.split(':');
  const [event] = server.execute('ReceiveExternalEvent', { name, status, ...(tag !== 'None' && { tag }) });
  return ['satisfied', 'failed'].includes((event!.data as { verdict: string }).verdict);
}

describe("how Nova's computes wait for the network", () => {
  const recorded = cases.filter(({ deliveries }) => deliveries[0]?.[0] !== 'before_wait');

  test.each(recorded)('$case', (vector) => {
    const server = aboutToBoot(vector);
    const waitFor = vector.expected_events.map(([event, tag]) => ({ event, tag }));
    server.execute('ReportBuildProgress', { taskState: 'spawning', waitFor });
    const since = Date.parse(server.state!.conditionSince);
    server.execute('ReportBuildSuccess');

    for (const [seconds, text, became] of vector.deliveries as [number, string, string][]) {
      pass(server, seconds);
      if (server.view.status !== 'BUILD') break; // who waited is gone
      expect(deliver(server, text)).toBe(became === 'delivered');
    }
    if (vector.case.startsWith('exit_wait_early')) {
      server.execute('WaiveExternalEvents', { events: [{ event: plugged, tag: 'p1' }] });
    }
    pass(server, vector.timeout_s + 1);

    expect(server.view.status).toBe(vector.result === 'completed' ? 'ACTIVE' : 'ERROR');
    expect(Date.parse(server.state!.conditionSince) - since).toBe(vector.elapsed_s * 1000);
  });

  test('an event that is quicker than the one who waits is lost there, and counts here', () => {
    const early = cases.find(({ deliveries }) => deliveries[0]?.[0] === 'before_wait')!;
    expect(early.result).toBe('raised InstanceEventTimeout');

    const server = aboutToBoot(early);
    server.execute('ReceiveExternalEvent', { name: plugged, tag: 'p1' });
    server.execute('ReportBuildProgress', { taskState: 'spawning', waitFor: [{ event: plugged, tag: 'p1' }] });
    server.execute('ReportBuildSuccess');
    expect(server.view.status).toBe('ACTIVE');
  });
});
