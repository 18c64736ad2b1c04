import { Uuid } from '../../../domain/kernel/resource.ts';
import { Fault } from '../fault.ts';
import type { Resources } from '../resources.ts';
import { notFound } from './faults.ts';
import type { NodeState } from './node-state.ts';

/** The node a client means: by its UUID, however that is written, or by its name. @throws Fault where there is none */
export async function nodeNamed(resources: Resources, ident: string): Promise<NodeState> {
  const id = ident.toLowerCase();
  const byId = Uuid.safeParse(id).success ? await resources.find<NodeState>({ kind: 'node', id }) : null;
  if (byId) return byId;
  const named = await bearersOf(resources, ident);
  if (named.length > 1) throw new Fault(409, 'DuplicateName', `Several nodes are called ${ident}; use a UUID.`);
  const found = named[0] && (await resources.find<NodeState>({ kind: 'node', id: named[0].id }));
  if (!found) throw notFound(ident);
  return found;
}

/** Names lead to nodes, so clients expect them to be unique. Two requests at the same moment may still take one. */
export async function requireFreeName(resources: Resources, name: unknown, id: string): Promise<void> {
  if (typeof name !== 'string' || name === '') return;
  const others = (await bearersOf(resources, name)).filter((node) => node.id !== id);
  if (others.length > 0) throw new Fault(409, 'DuplicateName', `The node ${others[0]!.id} is called ${name} already.`);
}

async function bearersOf(resources: Resources, name: string): Promise<NodeState[]> {
  return (await resources.page<NodeState>({ kind: 'node', name }, 2)).items;
}
