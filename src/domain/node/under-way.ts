import { kindOf, type ProvisionState, provisionStates } from './provision-machine.ts';
import type { Node } from './state.ts';

/** What a site limits, and the states that count, as Ironic counts them: a tear-down is the beginning of a cleaning. */
export const limited = {
  deploy: ['deploying', 'wait call-back'],
  clean: ['deleting', 'cleaning', 'clean wait'],
} as const satisfies Readonly<Record<string, readonly ProvisionState[]>>;
export type Limited = keyof typeof limited;

export const workerOf = (conductor: string): string => `worker of ${conductor}`;

/** What a node adds to. Work, power actions and tidying up each keep a worker of their conductor busy. */
export function countsAs({ provisionState, reservation }: Node): string[] {
  const works = (Object.keys(limited) as Limited[]).filter((name) =>
    (limited[name] as readonly ProvisionState[]).includes(provisionState),
  );
  const isBusy = reservation !== null && reservation.kind !== 'other';
  return isBusy ? [...works, workerOf(reservation.holder)] : works;
}

/** The states in which nodes are counted. One that only has its power switched is counted when it is next touched. */
export const countedStates: readonly ProvisionState[] = provisionStates.filter((state) =>
  ['working', 'waiting'].includes(kindOf(state)),
);
