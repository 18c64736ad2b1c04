import type { MechanismDriver } from '../../../../src/domain/port/drivers/mechanism-driver.ts';
import { refused } from '../../../../src/domain/port/drivers/mechanism-driver.ts';
import { otherWorker } from './drivers.ts';
import type { Stage } from './stage.ts';
import { portId } from './translation.ts';
import type { Interference, Step } from './vectors.ts';

export const interferences = ({ concurrently }: Step): Interference[] => (concurrently ? [concurrently].flat() : []);

/**
 * The inputs and the binding are one append here, so nothing comes between them: what Neutron lets happen there comes
 * after a creation, and after the host that it takes away was given.
 */
export const comesAfter = (step: Step): boolean =>
  step.concurrently !== undefined &&
  (step.op === 'create_port' || interferences(step).some((interference) => interference.do === 'set_host'));

type Command = readonly [type: string, data: object];

/** What the other worker does, `n` times over. */
const acts: Record<string, (value: unknown, host: string, n: number) => Command> = {
  other_worker_binds: (_value, host) => ['BindPort', { host }],
  other_worker_fails: (_value, host) => ['BindPort', { host }],
  set_profile: (value, _host, n) => ['UpdatePort', { profile: value ?? { n } }],
  set_admin_state: (value) => ['UpdatePort', { adminStateUp: value }],
  set_name: (value) => ['UpdatePort', { name: String(value) }],
  set_host: (value) => ['UpdatePort', { host: value || null }],
  delete_port: () => ['DeletePort', {}],
};

const nameOf = (what: string): string => (/fail/.test(what) ? 'other_worker_fails' : what);

const failing: MechanismDriver = {
  ...otherWorker,
  name: 'failing',
  bind: () => refused('error', 'it is the other worker'),
};

function commandOf({ do: what, value }: Interference, step: Step, n: number): Command {
  const act = acts[nameOf(what)];
  if (!act) throw new Error(`no translation for ${what}`);
  return act(value, step.args?.host_id ?? step.args?.host ?? '', n);
}

/** Another worker acts whenever the step is about to be stored, so that it must be decided again. */
export async function interfere(site: Stage, step: Step, drivers: readonly MechanismDriver[]): Promise<void> {
  const all = interferences(step);
  const winner = await site.rival([otherWorker, ...drivers]);
  const loser = await site.rival([failing]);
  let attempt = 0;
  site.interfering(portId(step.port), async () => {
    attempt += 1;
    for (const one of all) {
      if (one.onAttempt !== attempt && one.onAttempt !== 'every') continue;
      const execute = nameOf(one.do) === 'other_worker_fails' ? loser : winner;
      await execute('port', portId(step.port), ...commandOf(one, step, attempt));
    }
    return all.some(({ onAttempt }) => onAttempt === 'every' || onAttempt > attempt);
  });
}

/** What comes after the step. Who is first to bind stays: another worker has nothing to do then. */
export async function follow(site: Stage, step: Step): Promise<void> {
  for (const one of interferences(step)) {
    if (one.do !== 'other_worker_binds') await site.port(portId(step.port), ...commandOf(one, step, 1));
  }
}
