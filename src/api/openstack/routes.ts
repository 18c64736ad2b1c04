import type { FastifyInstance } from 'fastify';
import type { Identify } from '../access/auth.ts';
import type { TokensFile } from '../access/tokens.ts';
import { baremetalRoutes } from './baremetal/routes.ts';
import { baremetal } from './baremetal/service.ts';
import { computeRoutes } from './compute/routes.ts';
import { compute } from './compute/service.ts';
import { byAuthToken } from './identify.ts';
import { IssuedTokens } from './identity/issued-tokens.ts';
import { identityRoutes } from './identity/routes.ts';
import { identity } from './identity/service.ts';
import { imageRoutes } from './image/routes.ts';
import { image } from './image/service.ts';
import { networkRoutes } from './network/routes.ts';
import { network } from './network/service.ts';
import { Resources, type ResourcesOptions } from './resources.ts';
import { type Service, type ServiceOptions, serve } from './service.ts';

export interface OpenStackOptions extends ResourcesOptions, ServiceOptions {
  readonly identify: Identify;
  /** Who may log in now; null on a ledger without a tokens file, where everybody may. */
  readonly accounts: (() => TokensFile) | null;
}

/** The same commands behind the paths that OpenStack's own clients speak: a thin translation, one a service. */
export async function openstackRoutes(app: FastifyInstance, options: OpenStackOptions): Promise<void> {
  const { accounts, identify } = options;
  const issued = new IssuedTokens(accounts, () => Date.now());
  const byToken = byAuthToken(identify, (token) => issued.find(token)?.caller ?? null);

  app.decorateRequest('resources', {
    getter() {
      return new Resources(options, this.caller);
    },
  });
  app.decorateRequest('microversion');
  app.decorateRequest('openStackRequestId', '');
  const offer = (service: Service, routes: (scope: FastifyInstance) => void): Promise<void> =>
    serve(app, service, options, (scope) => {
      scope.addHook('onRoute', (route) => {
        route.config = { reach: 'own', ...route.config, identify: byToken };
      });
      routes(scope);
    });

  await offer(identity, (scope) =>
    identityRoutes(scope, { issued, accounts, services: [identity, baremetal, compute, image, network] }),
  );
  await offer(baremetal, baremetalRoutes);
  await offer(compute, computeRoutes);
  await offer(image, imageRoutes);
  await offer(network, networkRoutes);
}
