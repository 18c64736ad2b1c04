import { isDeepStrictEqual } from 'node:util';
import { expect } from 'vitest';
import { isFailed, type Port } from '../../../../src/domain/port/state.ts';
import type { Outcome } from '../../../../src/runtime/command.ts';
import { slugOf, typesOf } from '../../../support/ledger.ts';
import { defects } from './defects.ts';
import { driversFor } from './drivers.ts';
import { Expected } from './expected.ts';
import { comesAfter, follow, interfere } from './interference.ts';
import type { Stage } from './stage.ts';
import { perform, portId, recorded, setUp } from './translation.ts';
import type { NovaEvent, PortState, Scenario, Step } from './vectors.ts';

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

const isOvertaken = (step: Step): boolean => step.concurrently !== undefined && !comesAfter(step);

const isAboutAgents = ({ op }: Step): boolean => /_agent$|^report_state$|^age_heartbeat$/.test(op);

async function playStep(stage: Stage, scenario: Scenario, step: Step): Promise<Outcome[]> {
  if (isOvertaken(step)) await interfere(stage, step, driversFor(scenario));
  const outcomes = await perform(stage, step);
  if (comesAfter(step)) await follow(stage, step);
  if (isAboutAgents(step)) await stage.settle(); // what else follows, nobody's next step depends on
  return outcomes;
}

/** How many steps were compared, and how many of them were exactly as recorded. */
export interface Compared {
  steps: number;
  asRecorded: number;
}

/** Plays a scenario up to the first defect of the original, and compares after each step. */
export async function play(scenario: Scenario, stage: Stage): Promise<Compared> {
  await setUp(stage, scenario);
  const ports = new Map<string | undefined, { expected: Expected; state: Port | null }>();
  const compared = { steps: 0, asRecorded: 0 };
  const told = new Told();

  for (const step of scenario.steps) {
    if (defects.some(({ scenario: of = /./, shownBy }) => of.test(scenario.name) && shownBy(step))) break;
    const title = `${step.op} ${JSON.stringify(step.args ?? {})}`;
    const port = ports.get(step.port) ?? { expected: new Expected(scenario), state: null };
    ports.set(step.port, port);
    const { expected, state: before } = port;
    if (comesAfter(step)) told.add(await stage.takeTold());
    const racesBefore = isOvertaken(step) ? await stage.racesLost() : 0;
    const outcomes = await playStep(stage, scenario, step);
    expected.step(step);

    const after = await stage.portState(portId(step.port));
    port.state = after;
    expect(sorted(recorded(after)), title).toEqual(sorted(expected.state));
    if (comesAfter(step)) await stage.takeTold();
    else told.expected.push(...expected.novaEvents);

    const { error } = step.expect;
    if (error) expect(refusals[error.type], title).toContain(slugOf(outcomes.at(-1)!));
    const attempts = attemptsOf(step, outcomes);
    const noNews = before !== null && isFailed(before.binding) && after !== null && isFailed(after.binding);
    if (expected.state && !uncounted.includes(step.op) && !comesAfter(step)) {
      expect(attempts.here, title).toBeGreaterThanOrEqual(noNews ? 0 : attempts.recorded);
      expect(attempts.here, title).toBeLessThanOrEqual(attempts.recorded);
    }
    if (isOvertaken(step)) {
      const refused = step.expect.trace.filter((entry) => /^commit#\d+=retry$/.test(entry)).length;
      expect((await stage.racesLost()) - racesBefore, title).toBeGreaterThanOrEqual(Math.max(refused, 1));
    }
    compared.steps += 1;
    if (JSON.stringify(sorted(expected.state)) === JSON.stringify(sorted(step.expect.state))) compared.asRecorded += 1;
  }
  told.add(await stage.takeTold());
  told.compare();
  return compared;
}

/** What the server was told; not of each time is known what, where it was nothing new. */
class Told {
  readonly expected: NovaEvent[] = [];
  readonly #news: NovaEvent[] = [];
  #times = 0;

  add({ news, times }: Awaited<ReturnType<Stage['takeTold']>>): void {
    this.#news.push(...news);
    this.#times += times;
  }

  compare(): void {
    const rest = [...this.#news];
    const asExpected = this.expected.filter((event) => isDeepStrictEqual(event, rest[0]) && rest.shift());
    const here = { news: this.#news, times: this.#times };
    expect(here, 'what the server is told').toEqual({ news: asExpected, times: this.expected.length });
  }
}

const sorted = (state: PortState | null) =>
  state && {
    ...state,
    blocks: [...state.blocks].sort(),
    bindings: [...state.bindings].sort((a, b) => (a.host < b.host ? -1 : 1)),
  };
