import type { FastifyRequest } from 'fastify';
import { obstacleTo, sideGuards } from '../../../domain/server/guards.ts';
import { Fault } from '../fault.ts';
import { obstructed } from './faults.ts';
import type { ServerState } from './server-state.ts';

/** What only a hypervisor can answer. Whether it would be asked at all is decided as for everything else. */
const asked: Readonly<Record<string, keyof typeof sideGuards>> = {
  'os-getConsoleOutput': 'getConsoleOutput',
  'os-getVNCConsole': 'getVncConsole',
  'os-getSPICEConsole': 'getSpiceConsole',
  'os-getSerialConsole': 'getSerialConsole',
  trigger_crash_dump: 'triggerCrashDump',
  addFixedIp: 'addFixedIp',
  removeFixedIp: 'removeFixedIp',
  injectNetworkInfo: 'injectNetworkInfo',
};

export const isForHypervisor = (name: string): boolean => Object.hasOwn(asked, name);

/** @throws Fault in any case: the server's state forbids it, or nobody here can do it */
export function refuseForHypervisor({ caller }: FastifyRequest, server: ServerState, name: string): never {
  const guard = sideGuards[asked[name]!];
  const obstacle = obstacleTo(server, guard, caller.administrator ? { administrator: true } : {});
  if (!obstacle)
    throw new Fault(501, 'notImplemented', `Stackledger talks to no hypervisor: ${name} is not to be had here.`);
  throw obstructed(server.id, guard.verb, obstacle);
}
