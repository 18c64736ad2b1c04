import type { FastifyInstance } from 'fastify';
import { forRole } from '../service.ts';
import { notFound } from './faults.ts';

/** What Neutron counts as extensions, of what is here: clients ask before they use it. */
const extensions: Readonly<Record<string, string>> = {
  agent: 'agents and their liveness',
  binding: 'where ports are bound, and how',
  'binding-extended': 'several bindings of a port, for live migration',
  dhcp_agent_scheduler: 'which DHCP agents serve a network',
  'multi-provider': 'networks of several segments',
  pagination: 'lists by pages',
  'project-id': 'project_id beside tenant_id',
  provider: 'what carries a network',
  sorting: 'lists in order',
  'standard-attr-revisions': 'revision numbers',
  'standard-attr-timestamp': 'times of creation and change',
};

const shown = (alias: string) => ({
  alias,
  name: alias,
  description: extensions[alias],
  updated: '2026-01-01T00:00:00-00:00',
  links: [],
});

export function extensionRoutes(scope: FastifyInstance): void {
  scope.get('/v2.0/extensions', forRole('reader'), async () => ({ extensions: Object.keys(extensions).map(shown) }));

  scope.get<{ Params: { alias: string } }>('/v2.0/extensions/:alias', forRole('reader'), async ({ params }) => {
    if (!Object.hasOwn(extensions, params.alias)) throw notFound('extension', params.alias);
    return { extension: shown(params.alias) };
  });
}
