import { createPrivateKey, createPublicKey, type KeyObject } from 'node:crypto';
import { readFile } from 'node:fs/promises';

/** A file that was to hold a key for anchors holds another kind, or none. */
export class UnfitKey extends Error {
  override readonly name = 'UnfitKey';
}

/** Reads the key that anchors are signed with (PEM). @throws UnfitKey saying how to make one; what reading a file throws */
export const readAnchorKey = (path: string): Promise<KeyObject> =>
  readKey(path, createPrivateKey, 'private key; `openssl genpkey -algorithm ed25519` makes one.');

/** Reads the key that anchors are verified with (PEM). @throws as {@link readAnchorKey} does */
export const readAnchorPublicKey = (path: string): Promise<KeyObject> =>
  readKey(path, createPublicKey, 'public key; `openssl pkey -pubout -in <private key>` makes one.');

async function readKey(path: string, parse: (pem: Buffer) => KeyObject, wanted: string): Promise<KeyObject> {
  const pem = await readFile(path);
  try {
    const key = parse(pem);
    if (key.asymmetricKeyType === 'ed25519') return key;
  } catch {
    // OpenSSL's reason is a number.
  }
  throw new UnfitKey(`${path} holds no Ed25519 ${wanted}`);
}
