import { randomBytes, type ScryptOptions, scrypt, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';

const derive = promisify<string, Buffer, number, ScryptOptions, Buffer>(scrypt);

/** Cost of one guess: about 16 MiB and some tens of milliseconds. */
const cost = { N: 16_384, r: 8, p: 1 } as const;
const digestBytes = 32;

/** `scrypt:<salt>:<digest>`, both base64url. */
export const hashedPassword = /^scrypt:[A-Za-z0-9_-]{22}:[A-Za-z0-9_-]{43}$/;

/**
 * A password as it stands in the tokens file.
 *
 * @example
 * await hashPassword('correct horse'); // put this into "password"
 */
export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(16);
  const digest = await derive(password, salt, digestBytes, cost);
  return `scrypt:${salt.toString('base64url')}:${digest.toString('base64url')}`;
}

/** Whether a password is the one that was hashed; takes as long where it is not. */
export async function isPassword(password: string, hashed: string): Promise<boolean> {
  const [, salt, digest] = hashed.split(':') as [string, string, string];
  const expected = Buffer.from(digest, 'base64url');
  return timingSafeEqual(await derive(password, Buffer.from(salt, 'base64url'), digestBytes, cost), expected);
}
