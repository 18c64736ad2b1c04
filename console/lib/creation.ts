import type { Kind } from '../../src/client/index.ts';
import { curlOf } from './curl.ts';
import { apiPathOf } from './kinds.ts';

const anId = '6f3c0f2e-6c1f-4f7e-9a55-0d5d1a1c2b01';

const firsts: Readonly<Record<Kind, { readonly id: string; readonly type: string; readonly data: object }>> = {
  port: { id: anId, type: 'CreatePort', data: { name: 'web-1-eth0', host: 'compute-17' } },
  server: { id: anId, type: 'CreateServer', data: { name: 'web-1' } },
  node: { id: anId, type: 'EnrollNode', data: { name: 'rack-7-u12', driver: 'ipmi' } },
  agent: { id: 'compute-17:Open vSwitch agent', type: 'RegisterAgent', data: {} },
  network: { id: anId, type: 'CreateNetwork', data: { name: 'front' } },
};

/** A line for a shell that makes the first resource of a kind. */
export function creationOf(kind: Kind): string {
  const { id, ...command } = firsts[kind];
  return curlOf(`${apiPathOf({ kind, id })}/commands`, command);
}
