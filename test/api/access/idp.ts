import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';

type Pair = Awaited<ReturnType<typeof generateKeyPair>>;

/** An identity provider as far as tokens need one: a discovery document, keys, and tokens signed with them. */
export async function startProvider() {
  const keys = new Map<string, Pair>([['k1', await generateKeyPair('ES256')]]);
  const requests: string[] = [];
  const server = createServer(async (request, response) => {
    requests.push(request.url!);
    const document = request.url!.endsWith('openid-configuration')
      ? { issuer, jwks_uri: `${issuer}/keys` }
      : {
          keys: await Promise.all(
            [...keys].map(async ([kid, { publicKey }]) => ({ ...(await exportJWK(publicKey)), kid, alg: 'ES256' })),
          ),
        };
    response.setHeader('content-type', 'application/json').end(JSON.stringify(document));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

  const signed = (claims: Record<string, unknown>, how: { kid?: string; pair?: Pair } = {}): Promise<string> => {
    const { kid = 'k1', pair = keys.get(kid)! } = how;
    const base = { iss: issuer, aud: 'stackledger', sub: 'jane', exp: Math.floor(Date.now() / 1000) + 600 };
    return new SignJWT({ ...base, ...claims }).setProtectedHeader({ alg: 'ES256', kid }).sign(pair.privateKey);
  };
  const stop = (): Promise<unknown> => {
    server.closeAllConnections();
    return new Promise((resolve) => server.close(resolve));
  };
  return { issuer, keys, requests, signed, stop };
}
