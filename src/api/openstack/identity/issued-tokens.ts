import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import type { Caller } from '../../access/auth.ts';
import type { TokensFile } from '../../access/tokens.ts';
import { type Account, accountOf, type Login } from './accounts.ts';

/** A token as it was issued. */
export interface Issued {
  readonly login: Login;
  readonly issuedAt: number;
  readonly expiresAt: number;
}

export interface Known extends Issued {
  readonly account: Account;
  readonly caller: Caller;
}

const lifetimeMs = 3_600_000;

/**
 * Tokens that are given out for a login. They are signed rather than kept, so any process with the same key knows them;
 * who holds one may do what the tokens file says of the account now, and nothing once the account is gone from it.
 */
export class IssuedTokens {
  readonly #accounts: (() => TokensFile) | null;
  readonly #ownKey = randomBytes(32);
  readonly #now: () => number;

  constructor(accounts: (() => TokensFile) | null, now: () => number) {
    this.#accounts = accounts;
    this.#now = now;
  }

  issue(login: Login, until = Number.POSITIVE_INFINITY): string {
    const issuedAt = this.#now();
    const content: Issued = { login, issuedAt, expiresAt: Math.min(issuedAt + lifetimeMs, until) };
    const body = Buffer.from(JSON.stringify(content)).toString('base64url');
    return `${body}.${this.#signature(body).toString('base64url')}`;
  }

  /** What a token that was issued here stands for; null where it was not, or is over, or its account is gone. */
  find(token: string): Known | null {
    const [, body, signature] = /^([A-Za-z0-9_-]{1,4096})\.([A-Za-z0-9_-]{43})$/.exec(token) ?? [];
    if (!body || !signature) return null;
    if (!timingSafeEqual(this.#signature(body), Buffer.from(signature, 'base64url'))) return null;
    const issued = JSON.parse(Buffer.from(body, 'base64url').toString()) as Issued;
    if (this.#now() >= issued.expiresAt) return null;
    const account = accountOf(issued.login, this.#accounts?.() ?? null);
    return account && { ...issued, account, caller: account.caller };
  }

  #signature(body: string): Buffer {
    const key = this.#accounts?.().signingKey ?? this.#ownKey;
    return createHmac('sha256', key).update(body).digest();
  }
}
