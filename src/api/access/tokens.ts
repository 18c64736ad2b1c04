import { createHash, timingSafeEqual } from 'node:crypto';
import { z } from 'zod';
import { hashedPassword } from './passwords.ts';
import { roles } from './roles.ts';

const sha256 = z.string().regex(/^[0-9a-f]{64}$/, 'must be 64 lower-case hexadecimal digits');

/** What whoever proves to be somebody may do, and for which project. */
const rights = { roles: z.array(z.enum(roles)).min(1), projectId: z.string().min(1).max(255).optional() };

const StoredToken = z.strictObject({
  /** Who the bearer is: the actor of the events that come of the token's use. */
  name: z.string().min(1).max(255),
  /** SHA-256 of the token, in hexadecimal. */
  sha256,
  ...rights,
  expiresAt: z.iso.datetime({ offset: true }).optional(),
});
export type StoredToken = z.output<typeof StoredToken>;

const StoredUser = z.strictObject({
  /** The name to log in with, and the actor of the events. */
  name: z.string().min(1).max(255),
  password: z.string().regex(hashedPassword, 'must be a hash as `stackledger token hash --password` prints it'),
  ...rights,
});
export type StoredUser = z.output<typeof StoredUser>;

const StoredApplicationCredential = z.strictObject({
  id: z.string().min(1).max(64),
  /** The actor of the events. */
  name: z.string().min(1).max(255),
  /** SHA-256 of the secret, in hexadecimal: secrets are long and random, as tokens are. */
  sha256,
  ...rights,
});
export type StoredApplicationCredential = z.output<typeof StoredApplicationCredential>;

const areDistinct = (words: readonly string[]): boolean => new Set(words).size === words.length;

const TokensFile = z.strictObject({
  tokens: z.array(StoredToken).min(1, 'must hold at least one token'),
  /** Those who log in at `/identity/v3` with a password. */
  users: z
    .array(StoredUser)
    .refine((users) => areDistinct(users.map(({ name }) => name)), 'must each have a name of their own')
    .default([]),
  /** Programs that log in there. */
  applicationCredentials: z
    .array(StoredApplicationCredential)
    .refine((credentials) => areDistinct(credentials.map(({ id }) => id)), 'must each have an id of their own')
    .default([]),
  /** Signs what is issued to a login. Without it a token is good for one process and as long as that runs. */
  signingKey: z.string().min(32, 'must have at least 32 characters').optional(),
});
export type TokensFile = z.output<typeof TokensFile>;

export const noAccounts: TokensFile = { tokens: [], users: [], applicationCredentials: [] };

const digestOf = (token: string): Buffer => createHash('sha256').update(token).digest();

/**
 * A token as it stands in the tokens file.
 *
 * @example
 * hashToken('s3cret'); // put this into "sha256"
 */
export const hashToken = (token: string): string => digestOf(token).toString('hex');

/**
 * What a tokens file holds.
 *
 * @throws Error with a line for each thing that is wrong
 */
export function parseTokensFile(text: string): TokensFile {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch (cause) {
    throw new Error(`is not JSON: ${(cause as Error).message}`, { cause });
  }
  const parsed = TokensFile.safeParse(json);
  if (!parsed.success) {
    const lines = parsed.error.issues.map(({ path, message }) => `${path.join('.') || 'the file'}: ${message}`);
    throw new Error(lines.join('\n'), { cause: parsed.error });
  }
  return parsed.data;
}

/** Finds the token that a caller presents, in a time that tells nothing about those it is compared with. */
export class TokenRing {
  readonly #tokens: readonly (StoredToken & { digest: Buffer })[];

  constructor(tokens: readonly StoredToken[]) {
    this.#tokens = tokens.map((token) => ({ ...token, digest: Buffer.from(token.sha256, 'hex') }));
  }

  find(presented: string, now: number): StoredToken | null {
    const digest = digestOf(presented);
    let found: StoredToken | null = null;
    for (const token of this.#tokens) {
      if (timingSafeEqual(token.digest, digest)) found = token;
    }
    return found && (found.expiresAt === undefined || now < Date.parse(found.expiresAt)) ? found : null;
  }
}
