import { execFile } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** What a program printed, and how it ended. */
export interface Ended {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Python looks for modules where it is started, so that is a folder with nothing in it. */
const nowhere = mkdtempSync(join(tmpdir(), 'stackledger-'));
const timeout = 120_000;

function run(program: string, args: readonly string[], settings: Readonly<Record<string, string>>): Promise<Ended> {
  const { PATH = '', HOME = nowhere } = process.env;
  const env = { PATH, HOME, LC_ALL: 'C.UTF-8', PYTHONDONTWRITEBYTECODE: '1', ...settings };
  return new Promise((resolve) => {
    execFile(program, args, { cwd: nowhere, env, timeout }, (error, stdout, stderr) =>
      resolve({ code: error === null ? 0 : Number(error.code ?? 1), stdout, stderr }),
    );
  });
}

/** How a client finds the server and says who it is: `OS_...` variables. */
export type Login = Readonly<Record<string, string>>;

export const byPassword = (url: string, user: string, password: string): Login => ({
  OS_AUTH_URL: `${url}/identity/v3`,
  OS_IDENTITY_API_VERSION: '3',
  OS_USERNAME: user,
  OS_PASSWORD: password,
  OS_PROJECT_NAME: 'default',
  OS_USER_DOMAIN_NAME: 'Default',
  OS_PROJECT_DOMAIN_NAME: 'Default',
});

export const byApplicationCredential = (url: string, id: string, secret: string): Login => ({
  OS_AUTH_TYPE: 'v3applicationcredential',
  OS_AUTH_URL: `${url}/identity/v3`,
  OS_IDENTITY_API_VERSION: '3',
  OS_APPLICATION_CREDENTIAL_ID: id,
  OS_APPLICATION_CREDENTIAL_SECRET: secret,
});

/** Straight to one service, without anybody's name. */
export const byEndpoint = (endpoint: string): Login => ({ OS_AUTH_TYPE: 'none', OS_ENDPOINT: endpoint });

/** The `openstack` command. */
export function openstack(login: Login) {
  const ended = (...args: string[]): Promise<Ended> => run('openstack', args, login);
  const succeeded = async (...args: string[]): Promise<string> => {
    const { code, stdout, stderr } = await ended(...args);
    if (code !== 0) throw new Error(`openstack ${args.join(' ')} ended with ${code}: ${stderr}`);
    return stdout;
  };
  return {
    /** However it ends. */
    ended,
    /** What it printed. @throws Error where it failed */
    do: succeeded,
    /** What it printed as JSON. @throws Error where it failed */
    // biome-ignore lint/suspicious/noExplicitAny: tests look into whatever was printed
    read: async (...args: string[]): Promise<any> => JSON.parse(await succeeded(...args, '-f', 'json')),
  };
}

/** Runs one of the scripts in `sdk/`, which use openstacksdk, and gives the JSON it prints. */
// biome-ignore lint/suspicious/noExplicitAny: tests look into whatever was printed
export async function sdk(script: string, login: Login, settings: Readonly<Record<string, string>>): Promise<any> {
  const path = fileURLToPath(new URL(`sdk/${script}.py`, import.meta.url));
  // The Python of the system is the one that has the system's packages.
  const { code, stdout, stderr } = await run('/usr/bin/python3', [path], { ...login, ...settings });
  if (code !== 0) throw new Error(`${script}.py ended with ${code}: ${stderr}`);
  return JSON.parse(stdout);
}
