import { z } from 'zod';

/** The kinds of resource that have a stream of their own. */
export const kinds = ['port', 'server', 'node', 'agent', 'network'] as const;
export type Kind = (typeof kinds)[number];

export interface ResourceRef {
  kind: Kind;
  id: string;
}

/** A lower-case UUID, as Neutron, Nova and Ironic use. */
export const Uuid = z
  .string()
  .regex(/^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/, 'must be a lower-case UUID');

/** RFC 3339 in UTC with milliseconds: the one form in which times are stored and shown. */
export const Timestamp = z.string().regex(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/, 'must be RFC 3339 UTC');

/** A host name as agents, computes and conductors report it. */
export const HostName = z.string().min(1).max(255);

/** The stream that holds a resource's events, such as `port-6f3c...`. */
export const streamOf = ({ kind, id }: ResourceRef): string => `${kind}-${id}`;

/** The resource a stream belongs to, or null for a stream of no known kind. */
export function resourceOf(stream: string): ResourceRef | null {
  const dash = stream.indexOf('-');
  const kind = stream.slice(0, dash) as Kind;
  return kinds.includes(kind) && stream.length > dash + 1 ? { kind, id: stream.slice(dash + 1) } : null;
}
