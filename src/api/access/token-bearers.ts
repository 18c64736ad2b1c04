import { bearerOf, type Caller, type Identify, invalidToken, unauthenticated } from './auth.ts';
import { type StoredToken, TokenRing, type TokensFile } from './tokens.ts';

interface Bearer {
  /** All that the file says of the token. */
  readonly rights: string;
  readonly caller: Caller;
  readonly revoke: () => void;
}

/** Whoever holds a token is who the tokens file says: the one that was read last. */
export class TokenBearers {
  readonly #now: () => number;
  #file: TokensFile;
  #ring: TokenRing;
  #bearers: ReadonlyMap<string, Bearer>;

  constructor(file: TokensFile, now: () => number) {
    this.#now = now;
    this.#file = file;
    this.#ring = new TokenRing(file.tokens);
    this.#bearers = new Map(file.tokens.map((token) => [token.sha256, bearer(token)]));
  }

  get file(): TokensFile {
    return this.#file;
  }

  /**
   * Another file counts from now on. What was opened with a token that is gone, or that may do something else now, ends.
   * @returns how many tokens that are
   */
  replace(file: TokensFile): number {
    const before = this.#bearers;
    const kept = (token: StoredToken): Bearer => {
      const known = before.get(token.sha256);
      return known?.rights === rightsOf(token) ? known : bearer(token);
    };
    this.#file = file;
    this.#ring = new TokenRing(file.tokens);
    this.#bearers = new Map(file.tokens.map((token) => [token.sha256, kept(token)]));
    const revoked = [...before].filter(([sha256, known]) => this.#bearers.get(sha256) !== known);
    for (const [, { revoke }] of revoked) revoke();
    return revoked.length;
  }

  readonly identify: Identify = ({ authorization }) => {
    const presented = /^Bearer +(\S+) *$/i.exec(authorization ?? '')?.[1];
    if (presented === undefined) throw unauthenticated('No bearer token was sent.', 'Bearer realm="stackledger"');
    const token = this.#ring.find(presented, this.#now());
    if (token) return this.#bearers.get(token.sha256)!.caller;
    throw unauthenticated('The token is not known, or its time is over.', invalidToken);
  };
}

const rightsOf = (token: StoredToken): string => JSON.stringify(token);

function bearer(token: StoredToken): Bearer {
  const revoked = new AbortController();
  const caller = { ...bearerOf(token), revoked: revoked.signal };
  return { rights: rightsOf(token), caller, revoke: () => revoked.abort() };
}
