import { describe, expect, test } from 'vitest';
import { isFailed } from '../../../src/domain/port/state.ts';
import type { Outcome } from '../../../src/runtime/command.ts';
import { slugOf, typesOf } from '../../support/ledger.ts';
import { defects } from './neutron/defects.ts';
import { driversFor } from './neutron/drivers.ts';
import { Expected } from './neutron/expected.ts';
import { comesAfter, follow, interfere } from './neutron/interference.ts';
import { perform, portId, recorded, setUp } from './neutron/translation.ts';
import { type NovaEvent, type PortState, type Scenario, type Step, scenarios } from './neutron/vectors.ts';
import { openSite, type Site } from './site.ts';

/** What a refusal of Neutron's is here. Null: the work is done already, which is no error here. */
const refusals: Record<string, readonly (string | null)[]> = {
  PortNotFound: ['port-not-found', 'port-deleted'],
  PortBound: ['port-bound'],
  PortInUse: ['port-in-use'],
  PortBindingAlreadyExists: ['binding-exists', null],
  PortBindingAlreadyActive: [null],
  PortBindingNotFound: ['binding-not-found'],
  PortBindingError: ['binding-failed'],
  HTTPInternalServerError: ['binding-exists'], // an INACTIVE binding is in the way
};

/** An agent's return binds through a flow; an INACTIVE binding is made anew to change its inputs. */
const uncounted = ['report_state', 'update_port_binding'];

const committed = ['PortBound', 'PortBindingFailed', 'BindingAdded'];

/** Bindings and failures that were stored, in the recording and here. A failure that is no news is stored once here. */
function attemptsOf({ op, expect: { trace, error } }: Step, outcomes: Outcome[]) {
  const tried = trace.some((entry) => entry.startsWith('bind_attempt'));
  const stored = trace.some((entry) => /^commit#\d+=ok$/.test(entry)) || (op === 'create_port_binding' && !error);
  const types = outcomes.filter(({ outcome }) => outcome === 'done').flatMap(typesOf);
  return { recorded: tried && stored ? 1 : 0, here: types.filter((type) => committed.includes(type)).length };
}

async function playStep(site: Site, scenario: Scenario, step: Step): Promise<Outcome[]> {
  if (step.concurrently && !comesAfter(step)) await interfere(site, step, driversFor(scenario));
  const outcomes = await perform(site, step);
  if (comesAfter(step)) await follow(site, step);
  await site.settle();
  return outcomes;
}

async function play(scenario: Scenario) {
  const site = await openSite(driversFor(scenario));
  await setUp(site, scenario);
  const ports = new Map<string | undefined, Expected>();
  const compared = { steps: 0, asRecorded: 0 };

  for (const step of scenario.steps) {
    if (defects.some(({ scenario: of = /./, shownBy }) => of.test(scenario.name) && shownBy(step))) break;
    const title = `${step.op} ${JSON.stringify(step.args ?? {})}`;
    const expected = ports.get(step.port) ?? new Expected(scenario);
    ports.set(step.port, expected);
    const before = await site.portState(portId(step.port));
    const racesBefore = site.racesLost();
    const outcomes = await playStep(site, scenario, step);
    expected.step(step);

    const after = await site.portState(portId(step.port));
    expect(sorted(recorded(after)), title).toEqual(sorted(expected.state));
    const told = site.told.splice(0).map(({ data }) => novaEvent(data as NovaEvent));
    if (!comesAfter(step)) expect(told, title).toEqual(expected.novaEvents);

    const { error } = step.expect;
    if (error) expect(refusals[error.type], title).toContain(slugOf(outcomes.at(-1)!));
    const attempts = attemptsOf(step, outcomes);
    const noNews = before !== null && isFailed(before.binding) && after !== null && isFailed(after.binding);
    if (expected.state && !uncounted.includes(step.op) && !comesAfter(step)) {
      expect(attempts.here, title).toBeGreaterThanOrEqual(noNews ? 0 : attempts.recorded);
      expect(attempts.here, title).toBeLessThanOrEqual(attempts.recorded);
    }
    if (step.concurrently && !comesAfter(step)) {
      const refused = step.expect.trace.filter((entry) => /^commit#\d+=retry$/.test(entry)).length;
      expect(site.racesLost() - racesBefore, title).toBeGreaterThanOrEqual(Math.max(refused, 1));
    }
    compared.steps += 1;
    if (JSON.stringify(sorted(expected.state)) === JSON.stringify(sorted(step.expect.state))) compared.asRecorded += 1;
  }
  expect(site.refusedByFlows).toEqual([]);
  return compared;
}

const novaEvent = ({ name, status }: NovaEvent): NovaEvent =>
  name === 'network-vif-deleted' ? { name } : { name, status: status! };

const sorted = (state: PortState | null) =>
  state && {
    ...state,
    blocks: [...state.blocks].sort(),
    bindings: [...state.bindings].sort((a, b) => (a.host < b.host ? -1 : 1)),
  };

describe("Neutron's ports, step by step", () => {
  const totals = { steps: 0, asRecorded: 0 };

  test.each(scenarios)('$name', async (scenario) => {
    const { steps, asRecorded } = await play(scenario);
    totals.steps += steps;
    totals.asRecorded += asRecorded;
  });

  test('are compared almost to the end, and mostly as they were recorded', () => {
    const all = scenarios.flatMap(({ steps }) => steps).length;
    expect(totals.steps / all).toBeGreaterThan(0.85);
    expect(totals.asRecorded / totals.steps).toBeGreaterThan(0.8);
  });
});
