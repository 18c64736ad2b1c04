import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { hashPassword } from '../../src/api/access/passwords.ts';
import { hashToken } from '../../src/api/access/tokens.ts';
import { patient } from '../api/openstack/site.ts';
import { byApplicationCredential, byPassword, type Login } from './clients.ts';

export const workerToken = 'of-those-who-do-the-work';

async function tokensFile(): Promise<string> {
  const file = join(mkdtempSync(join(tmpdir(), 'stackledger-')), 'tokens.json');
  const tokens = {
    tokens: [{ name: 'worker', sha256: hashToken(workerToken), roles: ['admin'] }],
    users: [{ name: 'olga', password: await hashPassword('correct horse'), roles: ['admin'] }],
    applicationCredentials: [
      { id: 'ac-1', name: 'deployer', sha256: hashToken('long-and-random'), roles: ['operator'] },
    ],
  };
  writeFileSync(file, JSON.stringify(tokens));
  return file;
}

/** Settings of a ledger with people who may log in, and somebody who reports over the native API what was done. */
export const siteFlags = ['--use-pending-state', '--tokens-file', await tokensFile(), ...patient];

export const olga = (url: string): Login => byPassword(url, 'olga', 'correct horse');
export const deployer = (url: string): Login => byApplicationCredential(url, 'ac-1', 'long-and-random');
