import { createPrivateKey, type KeyObject } from 'node:crypto';
import { readFile } from 'node:fs/promises';

/** Reads the key that anchors are signed with. @throws Error saying how to make one where this is none */
export async function readAnchorKey(path: string): Promise<KeyObject> {
  const key = createPrivateKey(await readFile(path));
  if (key.asymmetricKeyType === 'ed25519') return key;
  throw new Error(
    `it holds a key of type ${key.asymmetricKeyType}; \`openssl genpkey -algorithm ed25519\` makes one that fits.`,
  );
}
