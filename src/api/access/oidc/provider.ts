import type { JSONWebKeySet } from 'jose';
import { z } from 'zod';
import { withoutPassword } from '../../../without-password.ts';
import { isTamperProof } from '../../http/loopback.ts';

/** How long the provider may take to answer. */
const timeoutMs = 5_000;

const Discovery = z.looseObject({ issuer: z.string(), jwks_uri: z.url({ protocol: /^https?$/ }) });
const Keys = z.looseObject({ keys: z.array(z.looseObject({ kty: z.string() })) });

/**
 * Fetches the provider's keys: from where the site says, else from where the provider's own discovery document says.
 *
 * @throws Error where it does not answer, or answers with something else
 */
export async function fetchKeys({ issuer, jwksUrl }: { issuer: string; jwksUrl: string }): Promise<JSONWebKeySet> {
  const url = jwksUrl === '' ? await discovered(issuer) : jwksUrl;
  return Keys.parse(await fetched(url)) as JSONWebKeySet;
}

/** OpenID Connect Discovery 1.0: the document lies below the issuer, and must name the same issuer. */
async function discovered(issuer: string): Promise<string> {
  const url = `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`;
  const document = Discovery.parse(await fetched(url));
  if (document.issuer !== issuer)
    throw new Error(`${withoutPassword(url)} is of the issuer ${document.issuer}, which is another.`);
  return document.jwks_uri;
}

async function fetched(url: string): Promise<unknown> {
  if (!isTamperProof(url))
    throw new Error(`${withoutPassword(url)} is no https URL: anybody on the way could put other keys there.`);
  const response = await fetch(url, {
    signal: AbortSignal.timeout(timeoutMs),
    headers: { accept: 'application/json' },
    redirect: 'error',
  });
  if (!response.ok) throw new Error(`${withoutPassword(url)} answers ${response.status}.`);
  return response.json();
}
