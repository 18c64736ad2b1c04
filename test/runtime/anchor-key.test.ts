import { generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { explain } from '../../src/cli/failure.ts';
import { readAnchorKey, readAnchorPublicKey } from '../../src/runtime/anchors/anchor-key.ts';

const folder = mkdtempSync(join(tmpdir(), 'stackledger-key-'));
afterAll(() => rmSync(folder, { recursive: true }));

const ours = generateKeyPairSync('ed25519');
const other = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const files = {
  private: ours.privateKey.export({ type: 'pkcs8', format: 'pem' }),
  public: ours.publicKey.export({ type: 'spki', format: 'pem' }),
  'private of another kind': other.privateKey.export({ type: 'pkcs8', format: 'pem' }),
  'public of another kind': other.publicKey.export({ type: 'spki', format: 'pem' }),
  none: 'no key at all\n',
};
const fileOf = (name: keyof typeof files): string => {
  const path = join(folder, name);
  writeFileSync(path, files[name]);
  return path;
};

describe('the key of an anchors file', () => {
  test.each(['public', 'private of another kind', 'none'] as const)('does not sign: %s', async (name) => {
    const path = fileOf(name);
    await expect(readAnchorKey(path)).rejects.toThrow(
      `${path} holds no Ed25519 private key; \`openssl genpkey -algorithm ed25519\` makes one.`,
    );
  });

  test.each(['public of another kind', 'none'] as const)(
    'does not verify, and is no fault of the program: %s',
    async (name) => {
      const path = fileOf(name);
      const error = await readAnchorPublicKey(path).catch((reason: unknown) => reason);
      expect(explain(error)).toEqual({
        exitCode: 1,
        error: `${path} holds no Ed25519 public key; \`openssl pkey -pubout -in <private key>\` makes one.`,
        hints: [],
      });
    },
  );

  test('signs where it is private, and verifies where it is either half', async () => {
    expect((await readAnchorKey(fileOf('private'))).type).toBe('private');
    for (const half of ['public', 'private'] as const)
      expect((await readAnchorPublicKey(fileOf(half))).equals(ours.publicKey)).toBe(true);
  });
});
