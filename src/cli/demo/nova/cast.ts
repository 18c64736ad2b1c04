import type { Cast } from '../stage.ts';
import type { Recording } from './recording.ts';

/** Nova's users and services, under the names it has for them, with a compute for each host that a row names. */
export function castOf(recordings: readonly Recording[]): Cast {
  const steps = recordings.flatMap((recording) => recording.steps);
  const hosts = steps.flatMap(({ notifications }) => notifications.map(({ row }) => row?.host ?? null));
  const computes = [...new Set(hosts)].filter((host) => host !== null).map((host) => [`nova-compute:${host}`, 'agent']);
  return {
    admin: 'admin',
    user: 'operator',
    'nova-scheduler': 'agent',
    'nova-conductor': 'agent',
    ...Object.fromEntries(computes),
  };
}
