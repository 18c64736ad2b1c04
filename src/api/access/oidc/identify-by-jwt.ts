import { decodeProtectedHeader, errors, type JWTPayload, jwtVerify } from 'jose';
import type { Log } from '../../http/log.ts';
import { apiProblem, passingProblem } from '../../problems/problem.ts';
import { type Caller, callerOf, type Identify, invalidToken, unauthenticated } from '../auth.ts';
import { type Role, roles } from '../roles.ts';
import { KeySet, KeysUnreachable } from './key-set.ts';
import { fetchKeys } from './provider.ts';

export interface OidcSettings {
  readonly oidcIssuer: string;
  readonly oidcAudience: string;
  readonly oidcJwksUrl: string;
  readonly oidcNameClaim: string;
  readonly oidcRolesClaim: string;
  readonly oidcProjectClaim: string;
}

/** Signatures that only the provider can make. With a shared secret whoever checks a token could issue some. */
const algorithms = [
  'RS256',
  'RS384',
  'RS512',
  'PS256',
  'PS384',
  'PS512',
  'ES256',
  'ES384',
  'ES512',
  'EdDSA',
  'Ed25519',
];

/** Clocks of two machines differ. */
const clockTolerance = 30;

/** What stands in the claim of the project where somebody is confined to none. */
const wholeSite = '*';

const bearerToken = /^Bearer +(\S+) *$/i;

/** Whoever brings a JSON Web Token of the site's identity provider is who it says; others are asked as before. */
export function identifyByJwt(settings: OidcSettings, others: Identify, log: Log): Identify {
  const keys = new KeySet({
    fetchKeys: () => fetchKeys({ issuer: settings.oidcIssuer, jwksUrl: settings.oidcJwksUrl }),
    now: () => performance.now(),
    onFailure: (error) => log.warn('the keys of the identity provider could not be fetched', { error }),
  });
  return (headers) => {
    const token = bearerToken.exec(headers.authorization ?? '')?.[1];
    return token !== undefined && isJwt(token) ? callerIn(token, keys, settings) : others(headers);
  };
}

/** Tokens of the file are any text, but hardly one that begins with the header of a JSON Web Token. */
function isJwt(token: string): boolean {
  try {
    return decodeProtectedHeader(token).alg !== undefined;
  } catch {
    return false;
  }
}

async function callerIn(token: string, keys: KeySet, settings: OidcSettings): Promise<Caller> {
  const { oidcIssuer: issuer, oidcAudience: audience } = settings;
  const expected = { issuer, audience, algorithms, clockTolerance, requiredClaims: ['exp'] };
  const { payload } = await jwtVerify(token, keys.find, expected).catch((error) => {
    throw refused(error);
  });
  const caller = callerOf({
    name: nameIn(payload, settings.oidcNameClaim),
    roles: rolesIn(payload, settings.oidcRolesClaim),
    projectId: projectIn(payload, settings.oidcProjectClaim),
  });
  return { ...caller, until: (payload.exp! + clockTolerance) * 1000 };
}

/** What is wrong with a token is for its bearer to know, but nothing of what is in it. */
function refused(error: unknown): unknown {
  if (error instanceof KeysUnreachable) {
    const detail =
      'The identity provider does not answer, and none of its keys is known: tokens of its making cannot be checked.';
    return passingProblem('identity-provider-unreachable', detail, {}, 30);
  }
  if (!(error instanceof errors.JOSEError)) return error;
  const what = faults[error.code] ?? 'is not one that this ledger takes';
  return unauthenticated(`The token ${what}.`, invalidToken);
}

const faults: Readonly<Record<string, string>> = {
  ERR_JWT_EXPIRED: 'is past its time',
  ERR_JWT_CLAIM_VALIDATION_FAILED: 'is of another issuer, for another audience, not valid yet, or without an end',
  ERR_JWS_SIGNATURE_VERIFICATION_FAILED: 'is not signed by the identity provider',
  ERR_JWKS_NO_MATCHING_KEY: 'is signed with a key that the identity provider does not have',
  ERR_JOSE_ALG_NOT_ALLOWED: 'is signed in a way that is not taken here',
};

function nameIn(payload: JWTPayload, claim: string): string {
  const name = claimed(payload, claim);
  if (typeof name === 'string' && name.length >= 1 && name.length <= 255) return name;
  throw unusable(`The token says in the claim "${claim}" no name of 1 to 255 characters.`);
}

/** A list, or words in one text; those that are no roles here are about something else. */
function rolesIn(payload: JWTPayload, claim: string): Role[] {
  const given = claimed(payload, claim);
  const words: readonly unknown[] =
    typeof given === 'string' ? given.split(/[ ,]+/) : Array.isArray(given) ? given : [];
  const known = roles.filter((role) => words.includes(role));
  if (known.length > 0) return known;
  throw unusable(`The token names in the claim "${claim}" none of the roles ${roles.join(', ')}.`);
}

/** Where projects are told by a claim, one that is missing confines to nothing at all: it is not to open everything. */
function projectIn(payload: JWTPayload, claim: string): string | undefined {
  if (claim === '') return undefined;
  const project = claimed(payload, claim);
  if (project === wholeSite) return undefined;
  if (typeof project === 'string' && project.length >= 1 && project.length <= 255) return project;
  throw unusable(`The token says in the claim "${claim}" neither a project nor "${wholeSite}" for the whole site.`);
}

const unusable = (detail: string) => apiProblem('token-without-rights', detail);

/** A claim by its name, or by a path through objects such as `realm_access.roles`. */
function claimed(payload: JWTPayload, claim: string): unknown {
  if (Object.hasOwn(payload, claim)) return payload[claim];
  return claim.split('.').reduce<unknown>((value, step) => {
    const isObject = typeof value === 'object' && value !== null && Object.hasOwn(value, step);
    return isObject ? (value as Record<string, unknown>)[step] : undefined;
  }, payload);
}
