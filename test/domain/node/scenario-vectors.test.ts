import { describe, expect, test } from 'vitest';
import { nodeAggregate } from '../../../src/domain/node/index.ts';
import type { Node } from '../../../src/domain/node/state.ts';
import { Resource } from '../../support/story.ts';
import { faultOf, nodeOf, type RecordedNode, recordedDriver, vectors } from './recorded.ts';

interface Seen extends RecordedNode {
  power_state?: string;
}

interface Scenario {
  case: string;
  node?: RecordedNode;
  body?: Record<string, unknown>;
  result: { http: number; error: string | null; now?: Seen; final?: Seen; notifications?: string[] };
}

const { cases } = vectors<{ cases: Scenario[] }>('provision-scenarios.json');

/** What Ironic's driver finds out about the hardware before it says yes; there is no driver here. */
const driversOwn = ['InstanceDeployFailure', 'InstanceRescueFailure', 'InstanceUnrescueFailure'];

/** Where Ironic is known to be wrong, and what is right. docs/decisions/0201-node-ironic-defects.md */
const corrections: Record<string, (recorded: Scenario['result']) => Scenario['result']> = {
  // A manual cleaning stays one.
  'unhold clean hold (manual clean, target manageable)': (recorded) =>
    JSON.parse(
      JSON.stringify(recorded).replaceAll(/"available"|=available/g, (word) => word.replace('available', 'manageable')),
    ),
  // Without a worker nothing has happened, for a rescue as for everything else.
  'noworker rescue': (recorded) => {
    const untouched: Seen = { ...recorded.now!, provision_state: 'active', target_provision_state: null };
    return { ...recorded, now: untouched, final: untouched };
  },
};
/** And where it broke down before it had an answer. */
const breakdowns = ['rebuild without image_source'];

const played = cases.filter(
  ({ case: name, node, result }) => node && !driversOwn.includes(result.error ?? '') && !breakdowns.includes(name),
);

/** What the name of a scenario says about the site it was recorded on. */
const factsOf = ({ case: name }: Scenario): object => ({
  ...(name.startsWith('concurrency limit hit') && { underWay: { deploy: 250, clean: 50 } }),
  settings: {
    ...(name.startsWith('noworker') && { workersPerConductor: 0 }),
    driversWithoutInspectAbort: name.includes('driver unsupported') ? [recordedDriver] : [],
    allowProvisioningInMaintenance: !name.includes('allow_provisioning_in_maintenance=False'),
  },
});

const camelCase = (name: string): string => name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
const command = (body: object): object =>
  Object.fromEntries(Object.entries(body).map(([name, value]) => [camelCase(name), value]));

/** `start info ev=deploy available->deploying tgt=active` */
interface Notified {
  phase: string;
  event: string;
  from: string;
  to: string;
  target: string | null;
}

const transitionPattern = /provision_set\.(\w+) \w+ ev=(\w+) (.+)->(.+) tgt=(.+)$/;
function notified({ notifications = [] }: Scenario['result']): Notified[] {
  return notifications.flatMap((line) => {
    const [, phase, event, from, to, target] = transitionPattern.exec(line) ?? [];
    return phase ? [{ phase, event: event!, from: from!, to: to!, target: target === 'None' ? null : target! }] : [];
  });
}

/** Every transition that is folded, as a notification would tell it. */
class Followed {
  readonly seen: Notified[] = [];
  readonly node: Resource<Node>;

  constructor(node: Resource<Node>) {
    this.node = node;
    const record = node.record.bind(node);
    node.record = (event) => {
      record(event);
      if (event.type !== 'NodeProvisionStateChanged') return;
      const { phase, event: word, from, to, targetAfter } = event.data as never;
      this.seen.push({ phase, event: word, from, to, target: targetAfter });
    };
  }

  /** Lets the worker report the transitions that were recorded after the command's own. */
  report(expected: readonly Notified[], scenario: Scenario): void {
    const error = scenario.result.final?.last_error ?? undefined;
    while (this.seen.length < expected.length && this.node.state?.reservation) {
      const { event } = expected[this.seen.length]!;
      const { holder } = this.node.state.reservation;
      const before = this.seen.length;
      if (event === 'fail' && scenario.case.includes('step')) {
        this.node.execute('ReportProvisionEvent', { event: 'step', holder, step: { name: 's', interface: 'vendor' } });
      }
      this.node.execute('ReportProvisionEvent', { event, holder, ...(event === 'fail' && error && { error }) });
      expect(this.seen.length).toBe(before + 1);
    }
  }
}

const seenOf = ({ state }: Resource<Node>) => ({
  provisionState: state!.provisionState,
  target: state!.targetProvisionState,
  maintenance: state!.maintenance !== null,
  fault: state!.maintenance?.fault ?? null,
  instance: state!.instanceId,
  power: state!.powerState,
  abortAfter: state!.step?.abortAfter ?? false,
});

const recordedAs = (seen: Seen) => ({
  provisionState: seen.provision_state,
  target: seen.target_provision_state ?? null,
  maintenance: seen.maintenance ?? false,
  fault: seen.fault ?? null,
  instance: seen.instance_uuid ?? null,
  power: seen.power_state ?? null,
  abortAfter: [seen.clean_step, seen.deploy_step, seen.service_step].some((step) => step && 'abort_after' in step),
});

describe('what Ironic did in scenarios, and what happens here', () => {
  test('most are about the rules, not about drivers', () => expect(played.length).toBeGreaterThan(60));

  test.each(played)('$case', (scenario) => {
    const recorded = corrections[scenario.case]?.(scenario.result) ?? scenario.result;
    const { now, final, error, http } = recorded;
    const before = { power_state: now!.power_state!, ...scenario.node! };
    const followed = new Followed(nodeOf(before, factsOf(scenario)));
    const { node } = followed;

    const body = command(scenario.body!);
    const malformed = !nodeAggregate.commands.SetProvisionState!.safeParse(body).success;
    if (malformed) return expect([400, error]).toEqual([http, expect.stringMatching(/^(Missing|Invalid)Parameter/)]);

    expect(faultOf(node, 'SetProvisionState', body)).toBe(error);
    expect(seenOf(node)).toEqual(recordedAs(now!));
    if (error) return expect(followed.seen).toEqual([]);

    expect(node.state!.reservation !== null).toBe(now!.reservation !== undefined);
    followed.report(notified(recorded), scenario);
    expect(followed.seen).toEqual(notified(recorded));
    expect(seenOf(node)).toEqual(recordedAs(final!));
    expect(node.state!.lastError !== null).toBe(final!.last_error !== undefined);
  });

  test('nothing is known of a node that was never enrolled', () => {
    const node = new Resource(nodeAggregate);
    expect(node.refusalOf('SetProvisionState', { target: 'manage' })).toBe('node-not-found');
  });
});
