import type { FastifyRequest } from 'fastify';
import { baseUrl } from '../service.ts';
import { invalid, requireMinor } from './faults.ts';
import { nodeFields, sinceOf } from './node-fields.ts';
import type { NodeState } from './node-state.ts';

/** What a list shows of each node unless more is asked for. */
const inBrief = ['uuid', 'name', 'instance_uuid', 'power_state', 'provision_state', 'maintenance'];

/** What hangs below a node, and the version that began to link it. */
const below: Readonly<Record<string, number>> = { ports: 1, states: 14, portgroups: 24, volume: 32 };

/** Which members a request wants to see: all, the few of a list, or those it names. */
export type Selection = 'all' | 'brief' | readonly string[];

/** `fields=a,b`, once or several times. @throws Fault where a field is unknown, or of a later version */
export function selectionOf(request: FastifyRequest, otherwise: Selection): Selection {
  const { fields } = request.query as { fields?: string | string[] };
  if (fields === undefined) return otherwise;
  requireMinor(request, 8, 'fields');
  const named = [fields].flat().flatMap((list) => list.split(','));
  const unknown = named.filter((name) => !Object.hasOwn(nodeFields, name) && name !== 'links');
  if (unknown.length > 0) throw invalid(`A node has no field ${unknown.join(', ')}.`);
  for (const name of named) requireMinor(request, sinceOf(name), `The field ${name}`);
  return named;
}

/** A node in the words of Ironic, as far as the caller's version goes. */
export function nodeShown(request: FastifyRequest, node: NodeState, selection: Selection): object {
  const { minor } = request.microversion;
  const names = selection === 'all' ? Object.keys(nodeFields) : selection === 'brief' ? inBrief : selection;
  const members = names
    .filter((name) => Object.hasOwn(nodeFields, name) && sinceOf(name) <= minor)
    .map((name) => [name, nodeFields[name]!.value(node, minor)]);
  const links = linksTo(request, `nodes/${node.id}`);
  if (selection !== 'all') return { ...Object.fromEntries(members), links };
  const branches = Object.entries(below)
    .filter(([, since]) => since <= minor)
    .map(([name]) => [name, linksTo(request, `nodes/${node.id}/${name}`)]);
  return { ...Object.fromEntries(members), links, ...Object.fromEntries(branches) };
}

/** Ironic links everything twice: with its version, and without. */
export function linksTo(request: FastifyRequest, path: string): { href: string; rel: string }[] {
  const root = `${baseUrl(request)}/baremetal`;
  return [
    { href: `${root}/v1/${path}`, rel: 'self' },
    { href: `${root}/${path}`, rel: 'bookmark' },
  ];
}
