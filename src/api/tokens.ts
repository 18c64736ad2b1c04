import { createHash, timingSafeEqual } from 'node:crypto';
import { z } from 'zod';
import { roles } from './roles.ts';

const StoredToken = z.strictObject({
  /** Who the bearer is: the actor of the events that come of the token's use. */
  name: z.string().min(1).max(255),
  /** SHA-256 of the token, in hexadecimal. */
  sha256: z.string().regex(/^[0-9a-f]{64}$/, 'must be 64 lower-case hexadecimal digits'),
  roles: z.array(z.enum(roles)).min(1),
  projectId: z.string().max(255).optional(),
  expiresAt: z.iso.datetime({ offset: true }).optional(),
});
export type StoredToken = z.output<typeof StoredToken>;

const TokensFile = z.strictObject({ tokens: z.array(StoredToken).min(1, 'must hold at least one token') });

const digestOf = (token: string): Buffer => createHash('sha256').update(token).digest();

/**
 * A token as it stands in the tokens file.
 *
 * @example
 * hashToken('s3cret'); // put this into "sha256"
 */
export const hashToken = (token: string): string => digestOf(token).toString('hex');

/**
 * The tokens that a file's text lists.
 *
 * @throws Error with a line for each thing that is wrong
 */
export function parseTokens(text: string): readonly StoredToken[] {
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
  return parsed.data.tokens;
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
