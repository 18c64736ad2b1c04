import { z } from 'zod';
import { type Kind, kinds } from '../../domain/kernel/resource.ts';
import type { ListQuery, SortKey, VertexRef } from '../../projections/queries.ts';
import { marker, minPosition, oneOrMore, pageSize, text, time, withoutUndefined } from './parameters.ts';

/** Sort keys as they are written in a URL. */
const sortKeys: Readonly<Record<string, SortKey>> = {
  id: 'id',
  name: 'name',
  status: 'status',
  status_since: 'statusSince',
  host: 'host',
  created_at: 'createdAt',
  updated_at: 'updatedAt',
};

const sort = z
  .string()
  .transform((written, context): NonNullable<ListQuery['sort']> => {
    const [key = '', direction = 'asc', ...rest] = written.split(':');
    const by = Object.hasOwn(sortKeys, key) ? sortKeys[key] : undefined;
    if (by && rest.length === 0 && ['asc', 'desc'].includes(direction)) return { by, descending: direction === 'desc' };
    context.addIssue(
      `must be one of ${Object.keys(sortKeys).join(', ')}, with :asc or :desc behind it where it matters`,
    );
    return z.NEVER;
  })
  .meta({
    description: `In which order: ${Object.keys(sortKeys).join(', ')}; \`:desc\` behind it turns it round. \`created_at\` unless said otherwise.`,
    example: 'status_since:desc',
  });

const vertexKinds: readonly string[] = [...kinds, 'host'];

const dependsOn = z
  .string()
  .transform((written, context): VertexRef => {
    const slash = written.indexOf('/');
    const [kind, id] = [written.slice(0, slash), written.slice(slash + 1)];
    if (vertexKinds.includes(kind) && id !== '') return { kind: kind as VertexRef['kind'], id };
    context.addIssue(`must be a kind and an id, such as host/compute-17; the kinds are ${vertexKinds.join(', ')}`);
    return z.NEVER;
  })
  .meta({
    description: 'Only those whose state names this resource or host: the ports of a server, all that is on a host.',
    example: 'host/compute-17',
  });

/** `GET /v1/{kind}s?...`: what a list is filtered and sorted by. */
export const ListParameters = z.strictObject({
  id: oneOrMore(text, ',').optional().meta({ description: 'Only these.' }),
  status: oneOrMore(text, ',').optional().meta({
    description: 'Only those in one of these: a port\'s `status`, a node\'s `provisionState`, "alive" or "lost".',
  }),
  sub_state: oneOrMore(text, ',')
    .optional()
    .meta({ description: "Only those with one of these: a server's `taskState`, a node's `targetProvisionState`." }),
  name: oneOrMore(text).optional().meta({ description: 'Only those of one of these names.' }),
  project: oneOrMore(text, ',').optional().meta({ description: "Only these projects', by id." }),
  host: oneOrMore(text, ',').optional().meta({ description: "Only on one of these hosts; a node's is its conductor." }),
  network: oneOrMore(text, ',').optional().meta({ description: 'Only ports of one of these networks.' }),
  device: oneOrMore(text, ',').optional().meta({
    description: "Only those of one of these: a port's `deviceId`, a server's `nodeId`, a node's `instanceId`.",
  }),
  blocked_by: oneOrMore(text).optional().meta({
    description: 'Only those that wait for one of these: L2, DHCP, network-vif-plugged, capacity, reservation, ...',
  }),
  depends_on: dependsOn.optional(),
  since: time.optional().meta({ description: 'Only those that changed at this time or later.' }),
  status_before: time
    .optional()
    .meta({ description: 'Only those that are in their status since this time or longer.' }),
  deleted: z
    .enum(['exclude', 'include', 'only'])
    .optional()
    .meta({ description: 'What about deleted ones: `exclude` unless said otherwise.' }),
  sort: sort.optional(),
  limit: pageSize.optional(),
  marker: marker.optional().meta({ description: 'The `next` of the page before, or the id of its last resource.' }),
  min_position: minPosition,
});
export type ListParameters = z.output<typeof ListParameters>;

/** The same in the words of the read models. */
export function listQuery(kind: Kind, parameters: ListParameters): ListQuery {
  const { id, sub_state, blocked_by, depends_on, status_before, min_position: _, ...same } = parameters;
  return withoutUndefined({
    kind,
    ...same,
    ids: id,
    subState: sub_state,
    blockedBy: blocked_by,
    dependsOn: depends_on,
    statusBefore: status_before,
  });
}
