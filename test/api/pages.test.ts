import { describe, expect, test } from 'vitest';
import { exampleData } from '../../src/api/openapi/openapi-examples.ts';
import { allProblemTypes } from '../../src/api/problems/problem-types.ts';
import { publicCommands } from '../../src/api/schemas/command-schemas.ts';
import { aggregates } from '../../src/domain/aggregates.ts';
import { sharedLedger, startLedger } from './support.ts';

const all = Object.values(aggregates);
const shared = sharedLedger();

describe('problem pages', () => {
  test('there is one for every kind of problem, for people and for programs', async () => {
    const { get } = shared();
    const types = allProblemTypes(all);
    expect(types.size).toBeGreaterThan(30);
    for (const [slug, { status, title, explanation }] of types) {
      const document = await get(`/problems/${slug}`, { accept: 'application/problem+json' });
      expect([document.status, document.body], slug).toEqual([
        200,
        { type: `/problems/${slug}`, status, title, explanation },
      ]);
      const page = await get(`/problems/${slug}`, { accept: 'text/html' });
      expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8');
      expect(page.text).toContain(slug);
      expect(slug).toMatch(/^[a-z0-9]+(-[a-z0-9]+)*$/);
      expect(explanation.length, slug).toBeGreaterThan(40);
      expect(status, slug).toBeGreaterThanOrEqual(400);
    }
    const { problems } = (await get('/problems', { accept: 'application/json' })).body;
    expect(problems).toHaveLength(types.size);
    expect((await get('/problems')).text).toContain('/problems/port-not-found');
  });

  test('there is none for what never happens', async () => {
    const { get } = shared();
    expect((await get('/problems/no-such-thing')).status).toBe(404);
    expect((await get('/problems/constructor')).status).toBe(404);
  });
});

describe('the API reference', () => {
  test('describes every path and every command by name, with schemas that can be resolved', async () => {
    const { get } = shared();
    const { body: document } = await get('/openapi.json');
    expect(document.openapi).toBe('3.1.0');
    const paths = Object.keys(document.paths);
    for (const { kind } of all) {
      expect(paths).toEqual(
        expect.arrayContaining([`/v1/${kind}s/{id}`, `/v1/${kind}s/{id}/commands`, `/v1/${kind}s/{id}/history`]),
      );
    }
    expect(paths).toEqual(
      expect.arrayContaining(['/v1/events', '/v1/commands', '/v1/clock', '/livez', '/readyz', '/metrics']),
    );

    const schemas = document.components.schemas;
    const names = Object.keys(schemas);
    const nameOf = (kind: string, type: string): string =>
      all.filter(({ commands }) => type in commands).length === 1
        ? type
        : `${kind[0]!.toUpperCase()}${kind.slice(1)}${type}`;
    for (const aggregate of all) {
      for (const type of publicCommands(aggregate)) expect(names, type).toContain(nameOf(aggregate.kind, type));
      for (const type of aggregate.internal ?? []) expect(schemas, type).not.toHaveProperty(type);
    }
    const references = [...JSON.stringify(document).matchAll(/"\$ref":"([^"]+)"/g)].map(([, target]) => target!);
    expect(references.length).toBeGreaterThan(0);
    for (const target of new Set(references)) {
      expect(target).toMatch(/^#\/components\/schemas\//);
      expect(schemas, target).toHaveProperty(target.replace('#/components/schemas/', ''));
    }
    const { requestBody, responses } = document.paths['/v1/ports/{id}/commands'].post;
    expect(requestBody.content['application/json'].examples).toHaveProperty('CreatePort');
    expect(Object.keys(responses)).toEqual([
      '200',
      '400',
      '401',
      '403',
      '404',
      '406',
      '409',
      '410',
      '412',
      '413',
      '415',
      '422',
      '429',
      '500',
      '503',
    ]);
    expect(Object.keys(responses['409'].content)).toEqual(['application/problem+json']);
  });

  test('shows examples that are accepted as they stand', async () => {
    const { get } = shared();
    const { paths } = (await get('/openapi.json')).body;
    const shown = all.flatMap(({ kind }) => {
      const { examples } = paths[`/v1/${kind}s/{id}/commands`].post.requestBody.content['application/json'];
      return Object.keys(examples).flatMap((type) => [type, `${kind}.${type}`]);
    });
    expect(Object.keys(exampleData).filter((type) => !shown.includes(type))).toEqual([]);
  });

  test('is a page that needs nothing but this server', async () => {
    const { get } = shared();
    const page = await get('/docs');
    expect(page.status).toBe(200);
    expect(page.text).not.toMatch(/https?:\/\//);
    expect(page.headers.get('content-security-policy')).toContain("default-src 'self'");
    const script = /<script src="([^"]+)"/.exec(page.text)![1]!;
    const loaded = await get(script);
    expect(loaded.headers.get('content-type')).toContain('javascript');
    expect(loaded.text.length).toBeGreaterThan(1_000_000);
  });

  test('is where the first page leads', async () => {
    const { get } = shared();
    const first = await get('/');
    expect(first.headers.get('content-type')).toBe('text/html; charset=utf-8');
    const links = [...first.text.matchAll(/href="([^"]+)"/g)].map(([, link]) => link!);
    expect(links).toContain('/docs');
    for (const link of links) expect((await get(link)).status, link).toBe(200);
  });
});

describe('metrics', () => {
  test('count commands, refusals and answers, without ids', async () => {
    const { get, command } = await startLedger();
    await command('CreatePort');
    await command('CreatePort');
    await command('AddProvisioningComponent', { entity: 'L2' });
    await command('SetPortStatus', { status: 'ACTIVE' });
    const { text } = await get('/metrics');
    for (const line of [
      'stackledger_commands_total{kind="port",type="CreatePort",outcome="done"} 1',
      'stackledger_commands_total{kind="port",type="CreatePort",outcome="nothing"} 1',
      'stackledger_commands_total{kind="port",type="SetPortStatus",outcome="refused"} 1',
      'stackledger_refusals_total{problem="port-blocked"} 1',
      'stackledger_append_duration_seconds_count{outcome="stored"} 2',
      'stackledger_http_request_duration_seconds_count{method="POST",route="/v1/ports/:id/commands",status="409"} 1',
      'stackledger_commands_in_flight 0',
    ]) {
      expect(text).toContain(line);
    }
    expect(text).toMatch(/stackledger_event_loop_lag_seconds\{quantile="0.99"\} [\d.e-]+/);
    expect(text).not.toContain('6f3c9a52');
  });
});
