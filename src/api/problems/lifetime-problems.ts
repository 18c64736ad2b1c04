import { lifetimeRefusals } from '../../domain/kernel/aggregate.ts';
import type { Kind, ResourceRef } from '../../domain/kernel/resource.ts';
import { Problem } from './problem.ts';
import { statusOfCategory } from './problem-types.ts';

export const notFound = (resource: ResourceRef): Problem =>
  lifetimeProblem(resource, 'not-found', `There is no ${resource.kind} ${resource.id}.`, {});

export function gone(resource: ResourceRef, deletedAt: string): Problem {
  const { kind, id } = resource;
  const history = `/v1/${kind}s/${encodeURIComponent(id)}/history`;
  const detail = `The ${kind} ${id} was deleted at ${deletedAt}. Its history stays readable at ${history}.`;
  return lifetimeProblem(resource, 'deleted', detail, { deletedAt, history });
}

function lifetimeProblem(
  { kind }: ResourceRef,
  end: 'not-found' | 'deleted',
  detail: string,
  help: Record<string, unknown>,
): Problem {
  const slug = `${kind}-${end}` as `${Kind}-${typeof end}`;
  const { category, ...rest } = lifetimeRefusals(kind)[slug];
  return new Problem(slug, { status: statusOfCategory[category], ...rest }, detail, help);
}
