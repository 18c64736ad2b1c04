import { createHash } from 'node:crypto';
import type { Service } from '../service.ts';
import type { Known } from './issued-tokens.ts';

const domain = { id: 'default', name: 'Default' };
const region = 'RegionOne';

export const projectShown = (id: string) => ({
  id,
  name: id,
  domain_id: domain.id,
  enabled: true,
  is_domain: false,
  parent_id: domain.id,
});

/** Ids that clients take for granted; the same in every process. */
const idOf = (...words: string[]): string => createHash('md5').update(words.join(' ')).digest('hex');

/** Where each service is, as the caller sees this server. */
export const catalogOf = (services: readonly Service[], base: string) =>
  services.map(({ type, name, endpoint }) => ({
    id: idOf(type),
    type,
    name,
    endpoints: ['public', 'internal', 'admin'].map((kind) => ({
      id: idOf(type, kind),
      interface: kind,
      region,
      region_id: region,
      url: `${base}${endpoint}`,
    })),
  }));

const keystoneTime = (milliseconds: number): string => new Date(milliseconds).toISOString().replace('Z', '000Z');

export function tokenShown({ login, account, issuedAt, expiresAt }: Known, catalog: object | undefined) {
  const { actor } = account.caller;
  return {
    methods: [login.method],
    user: { id: actor.id, name: actor.id, domain, password_expires_at: null },
    project: { id: account.projectId, name: account.projectId, domain },
    is_domain: false,
    roles: account.roles.map((name) => ({ id: name, name })),
    audit_ids: [idOf(login.method, login.id, String(issuedAt)).slice(0, 22)],
    issued_at: keystoneTime(issuedAt),
    expires_at: keystoneTime(expiresAt),
    ...(login.method === 'application_credential' && {
      application_credential: { id: login.id, name: actor.id, restricted: true },
    }),
    ...(catalog !== undefined && { catalog }),
  };
}
