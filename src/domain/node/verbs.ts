import { kindOf, nextState, type ProvisionEvent, type ProvisionState } from './provision-machine.ts';

/** Arguments that belong to certain verbs only. */
export type VerbArgument = 'configdrive' | 'deploySteps' | 'cleanSteps' | 'serviceSteps' | 'rescuePassword';

export interface Verb {
  readonly event: ProvisionEvent;
  /** Refused in maintenance: before anything else is looked at, or once the lock is free. */
  readonly inMaintenance?: 'refused-first' | 'refused';
  readonly refusedTo?: 'protected' | 'retired';
  readonly limit?: 'deploy' | 'clean';
  readonly accepts?: readonly VerbArgument[];
  readonly requires?: VerbArgument;
}

const deployment: readonly VerbArgument[] = ['configdrive', 'deploySteps'];

/** What people may ask for, in the words Ironic's clients use. `deploy` takes no arguments, though it is `active`. */
export const verbs = {
  active: { event: 'deploy', inMaintenance: 'refused-first', limit: 'deploy', accepts: deployment },
  deploy: { event: 'deploy', inMaintenance: 'refused', limit: 'deploy' },
  rebuild: {
    event: 'rebuild',
    inMaintenance: 'refused-first',
    refusedTo: 'protected',
    limit: 'deploy',
    accepts: deployment,
  },
  deleted: { event: 'delete', refusedTo: 'protected', limit: 'clean' },
  undeploy: { event: 'delete', refusedTo: 'protected', limit: 'clean' },
  manage: { event: 'manage' },
  provide: { event: 'provide', refusedTo: 'retired' },
  inspect: { event: 'inspect' },
  abort: { event: 'abort' },
  clean: { event: 'clean', inMaintenance: 'refused', limit: 'clean', requires: 'cleanSteps' },
  adopt: { event: 'adopt' },
  rescue: { event: 'rescue', inMaintenance: 'refused', requires: 'rescuePassword' },
  unrescue: { event: 'unrescue', inMaintenance: 'refused' },
  unhold: { event: 'unhold' },
  service: { event: 'service', inMaintenance: 'refused', requires: 'serviceSteps' },
} as const satisfies Readonly<Record<string, Verb>>;
export type VerbName = keyof typeof verbs;
export const verbNames = Object.keys(verbs) as VerbName[];

export const verbOf = (target: string): Verb | undefined =>
  Object.hasOwn(verbs, target) ? verbs[target as VerbName] : undefined;

/**
 * Verbs that take more than one step of the machine. Aborting a service ends where it began. A held node is given back
 * by way of its failed state, since the machine has no edge from a hold to `deleting`.
 */
const detours: Readonly<
  Partial<Record<VerbName, Readonly<Partial<Record<ProvisionState, readonly ProvisionEvent[]>>>>>
> = {
  abort: { 'service wait': ['fail', 'abort'], 'service hold': ['fail', 'abort'] },
  deleted: { 'deploy hold': ['abort', 'delete'], 'service hold': ['abort', 'delete'] },
  undeploy: { 'deploy hold': ['abort', 'delete'], 'service hold': ['abort', 'delete'] },
};

/** The steps by which a word leads on from a state, or null where it does not. Any word may be asked for. */
export function pathOf(from: ProvisionState, target: string): readonly ProvisionEvent[] | null {
  const detour = detours[target as VerbName]?.[from];
  if (detour) return detour;
  const event = verbOf(target)?.event ?? target;
  return nextState(from, event) ? [event as ProvisionEvent] : null;
}

/** Whether a path ends in a state in which a worker must be at work. */
export function startsWork(from: ProvisionState, path: readonly ProvisionEvent[]): boolean {
  const end = path.reduce((state, event) => nextState(state, event)!, from);
  return kindOf(end) === 'working';
}

/** The verbs an argument belongs to. */
export const argumentVerbs = (argument: VerbArgument): VerbName[] =>
  verbNames.filter((name) => {
    const { accepts, requires } = verbs[name] as Verb;
    return requires === argument || accepts?.includes(argument);
  });

export const verbArguments: readonly VerbArgument[] = [
  'configdrive',
  'deploySteps',
  'cleanSteps',
  'serviceSteps',
  'rescuePassword',
];
