import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createServer, connect as tlsConnect } from 'node:tls';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml'; // comes with the library that writes the OpenAPI document
import { loadConfig } from '../../src/config.ts';
import { connectionStringOf } from '../../src/store/eventstoredb/connection-string.ts';
import { describeWith } from '../support/external.ts';

interface Service {
  readonly image?: string;
  readonly build?: { readonly target: string };
  readonly environment?: Readonly<Record<string, string>>;
  readonly volumes?: readonly string[];
  readonly healthcheck?: object;
  readonly restart?: string;
  readonly deploy?: object;
  readonly ports?: readonly string[];
}

const root = new URL('../../', import.meta.url);
const read = (path: string): string => readFileSync(new URL(path, root), 'utf8');

const compose = parse(read('docker-compose.yml').replace(/\$\{EVENTSTORE_PASSWORD[^}]*\}/g, 'Secret1'), {
  merge: true,
}) as { services: Record<string, Service>; volumes: Record<string, null> };
const { certificates, proxy, ...others } = compose.services;
const named = (prefix: string) => Object.entries(others).filter(([name]) => name.startsWith(prefix));
const nodes = named('node');
const apis = named('api');

describe('the cluster of docker-compose.yml', () => {
  test('has three nodes that each look for the two others', () => {
    const names = nodes.map(([name]) => name);
    expect(names).toHaveLength(3);
    for (const [name, { environment }] of nodes) {
      const seeds = environment!.EVENTSTORE_GOSSIP_SEED!.split(',');
      expect([name, ...seeds.map((seed) => seed.replace(':2113', ''))].sort()).toEqual(names);
      expect(environment).toMatchObject({
        EVENTSTORE_CLUSTER_SIZE: 3,
        EVENTSTORE_NODE_HOST_ADVERTISE_AS: name,
        EVENTSTORE_REPLICATION_HOST_ADVERTISE_AS: name,
      });
    }
  });

  test('gives the API processes settings that they start with, and the hosts and the password of the nodes', () => {
    expect(apis).toHaveLength(2);
    for (const [, { environment }] of apis) {
      const { store, host, tokensFile } = loadConfig([], { ...imageSettings(), ...environment });
      const { username, password, host: hosts } = urlOf(connectionStringOf(store));
      expect({ host, tokensFile, username, hosts: hosts.split(',') }).toEqual({
        host: '0.0.0.0',
        tokensFile: '/run/secrets/tokens',
        username: 'admin',
        hosts: nodes.map(([name]) => `${name}:2113`),
      });
      for (const [, node] of nodes) expect(node.environment!.EVENTSTORE_DEFAULT_ADMIN_PASSWORD).toBe(password);
    }
  });

  test('keeps what each part keeps in a volume of its own', () => {
    const kept = [...nodes, ...apis].flatMap(([, { volumes }]) => volumes!.filter((volume) => !volume.startsWith('.')));
    expect(kept.map((volume) => volume.split(':')[0])).toEqual(Object.keys(compose.volumes));
  });

  test('restarts, watches and limits whatever runs on', () => {
    for (const [name, service] of [...nodes, ...apis, ['proxy', proxy!] as const]) {
      expect(service, name).toMatchObject({ restart: 'unless-stopped', deploy: { resources: { limits: {} } } });
      expect(service.healthcheck ?? read('Dockerfile').match(/HEALTHCHECK/), name).toBeTruthy();
    }
  });

  test('names every image by its version, and builds only what the Dockerfile has', () => {
    for (const [name, { image, build }] of Object.entries(compose.services)) {
      if (image) expect(image, name).toMatch(/:\d+\.\d+\.\d+/);
      if (build) expect(read('Dockerfile'), name).toContain(` AS ${build.target}\n`);
    }
    const { version } = JSON.parse(read('package.json')) as { version: string };
    expect(apis[0]![1].image).toBe(`stackledger:${version}`);
  });

  test('lets nobody in but through the proxy, which knows every API process', () => {
    expect([...nodes, ...apis].filter(([, { ports }]) => ports)).toEqual([]);
    const servers = [...read('deploy/haproxy.cfg').matchAll(/^ {2}server (\S+) (\S+)$/gm)].map(([, name, at]) => [
      name,
      at,
    ]);
    const known = apis.map(([name]) => [name, `${name}:8642`]);
    expect(servers).toEqual([...known, ...known]);
  });
});

const openssl = { program: 'openssl', debianPackage: 'openssl' };

describeWith(openssl, 'the certificates of deploy/certificates.sh', () => {
  const script = fileURLToPath(new URL('deploy/certificates.sh', root));
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'stackledger-'));
    execFileSync('sh', [script, folder], {
      env: { ...process.env, LEDGER_HOST: 'ledger.example.org' },
      stdio: 'ignore',
    });
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  test.each([
    ['node1', 'node1', 'eventstoredb-node'],
    ['node3', 'node3', 'eventstoredb-node'],
    ['proxy', 'ledger.example.org', 'ledger.example.org'],
  ])('%s is taken for %s by whoever trusts the authority, and for no other', async (name, host, commonName) => {
    const file = (path: string): Buffer => readFileSync(join(folder, path));
    const ca = file('trusted/ca.crt');
    const server = createServer({ cert: file(`${name}/node.crt`), key: file(`${name}/node.key`) });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as { port: number };
    const meet = (servername: string): Promise<unknown> =>
      new Promise((resolve) => {
        const socket = tlsConnect({ port, host: '127.0.0.1', ca, servername }, () => {
          resolve(socket.getPeerCertificate().subject.CN);
          socket.destroy();
        });
        socket.on('error', ({ code }: NodeJS.ErrnoException) => resolve(code));
      });
    expect(await meet(host)).toBe(commonName);
    expect(await meet('node2')).toBe('ERR_TLS_CERT_ALTNAME_INVALID');
    server.close();
  });

  test('stay as they are when it runs again, also without the key of the authority, which only new ones need', () => {
    const again = () => execFileSync('sh', [script, folder], { stdio: 'pipe' });
    const certificate = () => readFileSync(join(folder, 'node1/node.crt'), 'utf8');
    const before = certificate();
    rmSync(join(folder, 'authority'), { recursive: true });
    again();
    expect(certificate()).toBe(before);
    rmSync(join(folder, 'node1'), { recursive: true });
    expect(again).toThrow("A certificate for node1 needs the authority's key");
  });
});

/** What the image itself sets. */
function imageSettings(): Record<string, string> {
  return Object.fromEntries(
    [...read('Dockerfile').matchAll(/(STACKLEDGER_\w+)=(\S+)/g)].map(([, name, value]) => [name, value]),
  );
}

/** A list of hosts is none of what `URL` takes. */
function urlOf(text: string): { username: string; password: string; host: string } {
  const [, username = '', password = '', host = ''] = /^esdb:\/\/([^:]+):([^@]+)@([^/?]+)/.exec(text)!;
  return { username, password, host };
}
