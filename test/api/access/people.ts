import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { hashToken } from '../../../src/api/access/tokens.ts';

export const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

/** Who comes by in these tests: each has a token of the same name. `pia` and `paul` are of projects. */
const people = [
  { name: 'rita', roles: ['reader'] },
  { name: 'ovs', roles: ['agent'] },
  { name: 'olga', roles: ['operator'] },
  { name: 'ada', roles: ['admin'] },
  { name: 'pia', roles: ['admin'], projectId: 'blue' },
  { name: 'paul', roles: ['operator'], projectId: 'red' },
];

export function writeFile(name: string, content: string | Buffer): string {
  const file = join(mkdtempSync(join(tmpdir(), 'stackledger-')), name);
  writeFileSync(file, content);
  return file;
}

export const tokensFile = (more: object = {}): string =>
  writeFile(
    'tokens.json',
    JSON.stringify({ tokens: people.map((person) => ({ ...person, sha256: hashToken(person.name) })), ...more }),
  );
