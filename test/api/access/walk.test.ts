import diagnostics from 'node:diagnostics_channel';
import type { FastifyInstance } from 'fastify';
import { describe, expect, test } from 'vitest';
import { type Role, roleForCommand, roles } from '../../../src/api/access/roles.ts';
import { aggregates } from '../../../src/domain/aggregates.ts';
import type { Kind } from '../../../src/domain/kernel/resource.ts';
import { type Answer, sharedLedger } from '../support.ts';
import { bearer, tokensFile } from './people.ts';
import { furnish, ids } from './site.ts';

interface Route {
  readonly method: string;
  readonly url: string;
  readonly needs: Role;
}

/** Every route that the server registers, whoever wrote it. */
const routes: Route[] = [];
diagnostics.subscribe('fastify.initialization', (message) => {
  const { fastify } = message as { fastify: FastifyInstance };
  fastify.addHook('onRoute', ({ method, url, config }) => {
    for (const each of [method].flat()) routes.push({ method: each, url, needs: config?.needs ?? 'reader' });
  });
});

/** The OpenStack paths know agents by UUIDs of their own. */
let agentUuid = '';

const shared = sharedLedger(['--tokens-file', tokensFile(), '--read-wait-ms', '25000'], async (ledger) => {
  await furnish(ledger);
  const { body } = await ledger.get('/network/v2.0/agents', bearer('ada'));
  agentUuid = body.agents[0].id;
});

/** What everybody may ask for. Nothing else is on this list by accident. */
const forEverybody = new Set([
  'GET /livez',
  'GET /readyz',
  'GET /docs',
  'GET /docs/js/scalar.js',
  'GET /openapi.json',
  'GET /problems',
  'GET /problems/:slug',
  'GET /',
  'GET /assets/:file',
  'GET /operations/:correlationId',
  'GET /doctor',
  'GET /search',
  ...['port', 'server', 'node', 'agent', 'network'].flatMap((kind) => [`GET /${kind}s`, `GET /${kind}s/:id`]),
  'POST /identity/v3/auth/tokens',
  ...['identity/v3', 'baremetal/v1', 'compute/v2.1', 'image/v2', 'network/v2.0'].flatMap((path) => {
    const [service] = path.split('/');
    return [`GET /${service}`, `GET /${service}/`, `GET /${path}`, `GET /${path}/`];
  }),
]);

const named = ({ method, url }: Route): string => `${method === 'HEAD' ? 'GET' : method} ${url}`;
const guarded = (): Route[] => routes.filter((route) => route.method !== 'HEAD' && !forEverybody.has(named(route)));

/** A command of each kind, as an operator gives it. */
const commands: Readonly<Record<Kind, object>> = {
  port: { type: 'UpdatePort', data: { name: 'taken' } },
  server: { type: 'UpdateServer', data: { name: 'taken' } },
  node: { type: 'SetMaintenance', data: { reason: 'taken' } },
  agent: { type: 'DeleteAgent' },
  network: { type: 'UpdateNetwork', data: { name: 'taken' } },
};

/** Bodies that would be carried out if only the caller might: what is refused is then refused for who asks. */
const bodies: readonly (readonly [RegExp, unknown])[] = [
  ...Object.entries(commands).map(([kind, body]) => [new RegExp(`^POST /v1/${kind}s/`), body] as const),
  [/^POST \/v1\/clock/, { advance: 'PT1S' }],
  [/^POST .*\/action$/, { 'os-stop': null }],
  [/^POST .*external-events$/, { events: [{ name: 'network-changed', server_uuid: ids.server }] }],
  [/^POST .*\/v2\.1\/servers$/, { server: { name: 's', flavorRef: '1', networks: [{ port: ids.port }] } }],
  [/^PUT .*\/servers\/:id$/, { server: { name: 'taken' } }],
  [/metadata$/, { metadata: { taken: 'yes' } }],
  [/tags$/, { tags: ['taken'] }],
  [/^POST .*\/networks$/, { network: { name: 'n', tenant_id: 'blue' } }],
  [/^PUT .*\/networks\/:id$/, { network: { name: 'taken' } }],
  [/^POST .*\/subnets$/, { subnet: { network_id: ids.network, cidr: '10.0.0.0/24', ip_version: 4 } }],
  [/^PUT .*\/subnets\/:id$/, { subnet: { name: 'taken' } }],
  [/^POST .*\/ports$/, { port: { network_id: ids.network } }],
  [/^PUT .*\/ports\/:id$/, { port: { name: 'taken' } }],
  [/^POST .*\/bindings$/, { binding: { host: 'red-host' } }],
  [/^PUT .*\/agents\/:id$/, { agent: { admin_state_up: false } }],
  [/^POST .*dhcp-networks$/, { network_id: ids.network }],
  [/^POST .*\/baremetal\/v1\/nodes\/?$/, { driver: 'd', owner: 'blue' }],
  [/^PATCH .*\/nodes/, [{ op: 'replace', path: '/description', value: 'taken' }]],
  [/states\/provision$/, { target: 'manage' }],
  [/states\/power$/, { target: 'power on' }],
  [/maintenance$/, { reason: 'taken' }],
];

const idIn = (url: string): string => {
  if (/v2.0\/agents/.test(url)) return agentUuid;
  const part = ['port', 'server', 'node', 'network', 'subnet'].find((kind) => new RegExp(`/${kind}s?/:`).test(url));
  if (part) return ids[part as keyof typeof ids];
  return encodeURIComponent(
    /\/v1\/(graph\/agent|agents)\//.test(url) ? ids.agent : 'a0000000-0000-4000-8000-000000000000',
  );
};

const params: Readonly<Record<string, string>> = {
  host: 'blue-host',
  hostname: 'blue-host',
  networkId: ids.network,
  correlationId: 'blue-undertaking',
  name: 'blue-driver',
};

/** What is to be put under a key is new; what is to be taken away is there. */
const paramOf = ({ method }: Route, name: string): string | undefined =>
  name === 'key' ? (method === 'PUT' ? 'new-key' : 'blue-key') : params[name];

const pathOf = (route: Route): string => {
  const { url } = route;
  const path = url.replace(/:(\w+)/g, (_all, name: string) =>
    name === 'id' || name === 'ident' ? idIn(url) : (paramOf(route, name) ?? 'a0000000-0000-4000-8000-000000000000'),
  );
  return url === '/v1/search' ? `${path}?q=b` : path;
};

function ask(route: Route, headers: Record<string, string>): Promise<Answer> {
  const isRead = ['GET', 'HEAD'].includes(route.method);
  const isBulk = named(route) === 'POST /v1/commands';
  const body = bodies.find(([pattern]) => pattern.test(named(route)))?.[1] ?? {};
  const text = isBulk ? JSON.stringify({ kind: 'port', id: ids.port, ...commands.port }) : JSON.stringify(body);
  const microversions = { 'x-openstack-ironic-api-version': '1.78', 'openstack-api-version': 'compute 2.90' };
  return shared().ask(pathOf(route), {
    method: route.method,
    headers: {
      ...microversions,
      ...headers,
      ...(!isRead && { 'content-type': isBulk ? 'application/x-ndjson' : 'application/json' }),
    },
    ...(!isRead && { body: text }),
  });
}

/** What every walk must leave behind as it was. */
async function nothingStored(walk: () => Promise<void>): Promise<void> {
  const head = await shared().store.head();
  await walk();
  expect(await shared().store.head()).toBe(head);
}

/** What is wrong with the answers, a line each: a walk shows all there is to mend. */
type Finding = (route: Route, answer: Answer) => string | null;

async function walk(walked: readonly Route[], name: string | null, finding: Finding): Promise<string[]> {
  const findings: string[] = [];
  for (const route of walked) {
    const answer = await ask(route, name === null ? {} : bearer(name));
    const found = finding(route, answer);
    if (found !== null) findings.push(`${named(route)}: ${found}: ${answer.status} ${answer.text.slice(0, 200)}`);
  }
  return findings;
}

describe('every route there is', () => {
  const unless = (status: number) => (_route: Route, answer: Answer) =>
    answer.status === status ? null : `not ${status}`;

  test('is guarded, unless it is on the list of those for everybody', async () => {
    expect(guarded().length).toBeGreaterThan(120);
    const known = routes.map(named);
    expect(
      [...forEverybody].filter((open) => !known.includes(open)),
      'entries that are no routes',
    ).toEqual([]);
    await nothingStored(async () => {
      expect(await walk(guarded(), null, unless(401))).toEqual([]);
      expect(await walk(guarded(), 'nobody', unless(401))).toEqual([]);
      const heads = routes.filter((route) => route.method === 'HEAD' && !forEverybody.has(named(route)));
      expect(await walk(heads, null, unless(401))).toEqual([]);
    });
  });

  test('changes nothing for a reader, who is told which role that takes', async () => {
    const others = guarded().filter(({ method, needs }) => method !== 'GET' || needs !== 'reader');
    await nothingStored(async () => {
      const findings = await walk(others, 'rita', (_route, { status, text }) =>
        status === 403 && /the role (agent|operator|admin)/.test(text) ? null : 'not told the role',
      );
      expect(findings).toEqual([]);
    });
  });

  test('gives a command only to whose role is enough for it', async () => {
    const holders: Readonly<Record<Role, string>> = { reader: 'rita', agent: 'ovs', operator: 'olga', admin: 'ada' };
    await nothingStored(async () => {
      for (const { kind, commands: known, internal = [] } of Object.values(aggregates)) {
        for (const [type, schema] of Object.entries(known)) {
          const needed = roleForCommand(type);
          const beneath = roles[roles.indexOf(needed) - 1]!;
          if (internal.includes(type) || !schema.safeParse({}).success) continue;
          const path = `/v1/${kind}s/${encodeURIComponent(ids[kind])}/commands`;
          const { status, body } = await shared().post(path, { type }, bearer(holders[beneath]));
          expect([status, body.needed], type).toEqual([403, beneath === 'reader' ? 'agent' : needed]);
        }
      }
    });
  });
});

describe('every route there is, for an administrator of another project', () => {
  /** Paths where there is nothing to hide: they speak of the caller, or of what images and flavors are called. */
  const harmless = /^GET \/(identity\/|image\/v2\/images\/|compute\/v2\.1\/flavors\/|v1\/clock)/;

  /** What the request itself has said may come back. */
  const asked = new RegExp([...Object.values(ids), ...Object.values(params), 'blue-key'].join('|'), 'g');
  const isOfOne = (route: Route): boolean => /:(id|ident)\b/.test(route.url) && !harmless.test(named(route));

  test('shows nothing of what is not theirs, and takes no command on it', async () => {
    await nothingStored(async () => {
      const findings = await walk(guarded(), 'paul', (route, { status, text }) => {
        if (text.replaceAll(asked, '').includes('blue-')) return 'shows what is not theirs';
        if (isOfOne(route)) return [403, 404].includes(status) ? null : 'not as if it did not exist';
        if (route.method === 'GET') return [200, 403, 404].includes(status) ? null : 'neither filtered nor refused';
        return status >= 400 || /"(status|code)":4\d\d/.test(text) ? null : 'not refused';
      });
      expect(findings).toEqual([]);
    });
  });

  test('answers as it does for what does not exist', async () => {
    const ofOne = guarded().filter(
      (route) => isOfOne(route) && Object.values(ids).some((id) => pathOf(route).includes(id)),
    );
    expect(ofOne.length).toBeGreaterThan(60);
    const anywhere = new RegExp(Object.values(ids).join('|'), 'g');
    const nowhere = 'd0000000-0000-4000-8000-00000000000d';
    for (const route of ofOne) {
      const there = await ask(route, bearer('paul'));
      const path = pathOf(route).replace(anywhere, nowhere);
      const unknown = await ask({ ...route, url: path }, bearer('paul'));
      expect([unknown.status, unknown.body?.detail], named(route)).toEqual([
        there.status,
        there.body?.detail?.replace(anywhere, nowhere),
      ]);
    }
  });
});
