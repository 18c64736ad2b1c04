import { type Caller, callerOf } from '../../access/auth.ts';
import { isPassword } from '../../access/passwords.ts';
import type { Role } from '../../access/roles.ts';
import { TokenRing, type TokensFile } from '../../access/tokens.ts';

/** How somebody came in, and as whom. */
export interface Login {
  readonly method: 'password' | 'application_credential' | 'token';
  /** Name of a user, id of an application credential, hash of a token. */
  readonly id: string;
  /** The project it is for, where the client named one. */
  readonly project?: string;
}

/** Who logged in. */
export interface Account {
  readonly caller: Caller;
  readonly roles: readonly Role[];
  readonly projectId: string;
}

/** What belongs to no project belongs to this one. */
const defaultProject = 'default';

/** On a ledger without a tokens file everybody may do everything, under the name they give. */
const anybody = ({ id }: Login) => ({ name: id.slice(0, 255) || 'anonymous', roles: ['admin' as const] });

/** The account that a login was of, as the tokens file has it now. */
export function accountOf(login: Login, file: TokensFile | null): Account | null {
  const stored = file ? storedIn(file)[login.method](login.id) : anybody(login);
  if (!stored) return null;
  const projectId = (stored as { projectId?: string | undefined }).projectId ?? login.project;
  const { administrator, ...caller } = callerOf({ projectId: undefined, ...stored });
  return {
    // A project that the account does not belong to says where what it creates goes, and confines nobody.
    caller: {
      ...caller,
      actor: { ...caller.actor, ...(projectId !== undefined && { projectId }) },
      ...(file && administrator && { administrator }),
    },
    roles: stored.roles,
    projectId: projectId ?? defaultProject,
  };
}

const storedIn = ({ users, applicationCredentials, tokens }: TokensFile) => ({
  password: (wanted: string) => users.find(({ name }) => name === wanted),
  application_credential: (wanted: string) => applicationCredentials.find(({ id }) => id === wanted),
  token: (wanted: string) => tokens.find(({ sha256 }) => sha256 === wanted),
});

/** Whether an account may act for a project: for its own, or, where it belongs to none, for any. */
export const mayActFor = (project: string, { caller }: Account): boolean =>
  [undefined, project].includes(caller.actor.projectId);

/** What a client gives to log in. */
export type Credentials =
  | { readonly method: 'password'; readonly user: string; readonly password: string }
  | {
      readonly method: 'application_credential';
      /** Its id, or its name. */
      readonly credential: string;
      readonly secret: string;
    }
  | { readonly method: 'token'; readonly token: string };

export interface Proven {
  readonly login: Login;
  /** When what was shown ends, in milliseconds. */
  readonly until?: number;
}

/** For names nobody has: finding that out must take as long as a wrong password. */
const nobodysPassword = `scrypt:${'A'.repeat(22)}:${'A'.repeat(43)}`;

/** Who the credentials are of; null where they are nobody's. On a ledger without a tokens file any are good. */
export async function proven(credentials: Credentials, file: TokensFile | null, now: number): Promise<Proven | null> {
  const { method } = credentials;
  if (!file) return { login: { method, id: nameGiven(credentials) } };
  if (credentials.method === 'password') return byPassword(credentials, file);
  return credentials.method === 'token' ? byToken(credentials, file, now) : bySecret(credentials, file, now);
}

const nameGiven = (given: Credentials): string =>
  given.method === 'password' ? given.user : given.method === 'token' ? 'anonymous' : given.credential;

type Given<M extends Credentials['method']> = Extract<Credentials, { method: M }>;

async function byPassword({ user: name, password }: Given<'password'>, { users }: TokensFile): Promise<Proven | null> {
  const user = users.find((other) => other.name === name);
  const isRight = await isPassword(password, user?.password ?? nobodysPassword);
  return user && isRight ? { login: { method: 'password', id: user.name } } : null;
}

function bySecret(
  { credential, secret }: Given<'application_credential'>,
  { applicationCredentials }: TokensFile,
  now: number,
): Proven | null {
  const candidates = applicationCredentials.filter(({ id, name }) => id === credential || name === credential);
  const hit = new TokenRing(candidates).find(secret, now);
  const found = candidates.find(({ sha256 }) => sha256 === hit?.sha256);
  return found ? { login: { method: 'application_credential', id: found.id } } : null;
}

function byToken({ token: presented }: Given<'token'>, { tokens }: TokensFile, now: number): Proven | null {
  const token = new TokenRing(tokens).find(presented, now);
  if (!token) return null;
  const until = token.expiresAt === undefined ? {} : { until: Date.parse(token.expiresAt) };
  return { login: { method: 'token', id: token.sha256 }, ...until };
}
