import { createLocalJWKSet, errors, type FlattenedJWSInput, type JSONWebKeySet, type JWTHeaderParameters } from 'jose';

type Keys = ReturnType<typeof createLocalJWKSet>;

/** Nobody has fetched the keys yet, and now they cannot be: tokens are neither good nor bad. */
export class KeysUnreachable extends Error {
  override readonly name = 'KeysUnreachable';
}

export interface KeySetOptions {
  /** Fetches the document with the keys (RFC 7517). */
  readonly fetchKeys: () => Promise<JSONWebKeySet>;
  /** Milliseconds on a clock that never goes back. */
  readonly now: () => number;
  readonly onFailure: (error: unknown) => void;
}

/** Keys this old are fetched again, so that one that was withdrawn is good for no longer. */
const freshMs = 600_000;
/** A provider that is away is forgiven so long; then its keys count no more. */
const forgivenMs = 24 * 3_600_000;
/** Whoever sends tokens with keys that do not exist makes nobody fetch more often than this. */
const pauseMs = 30_000;

/**
 * The keys of an identity provider, fetched when they are first needed, again when they are old, and when a token names one
 * that is not among them. While the provider is away those that are known go on counting.
 */
export class KeySet {
  readonly #options: KeySetOptions;
  #keys: Keys | null = null;
  #fetchedAt = Number.NEGATIVE_INFINITY;
  #triedAt = Number.NEGATIVE_INFINITY;
  #fetching: Promise<void> | null = null;

  constructor(options: KeySetOptions) {
    this.#options = options;
  }

  /** Finds the key for a token: what `jwtVerify` asks for. @throws KeysUnreachable, JWKSNoMatchingKey */
  readonly find = async (header: JWTHeaderParameters, token: FlattenedJWSInput) => {
    if (this.#age > freshMs) {
      const fetched = this.#fetch();
      if (!this.#keys || this.#age > forgivenMs) await fetched;
    }
    const keys = this.#known();
    try {
      return await keys(header, token);
    } catch (error) {
      if (!(error instanceof errors.JWKSNoMatchingKey)) throw error;
      await this.#fetch();
      return this.#known()(header, token);
    }
  };

  get #age(): number {
    return this.#options.now() - this.#fetchedAt;
  }

  #known(): Keys {
    if (this.#keys && this.#age <= forgivenMs) return this.#keys;
    throw new KeysUnreachable('The keys of the identity provider could not be fetched.');
  }

  /** Those who come while it is under way wait for the same answer; soon after one there is no other. */
  #fetch(): Promise<void> {
    if (this.#fetching) return this.#fetching;
    if (this.#options.now() - this.#triedAt < pauseMs) return Promise.resolve();
    this.#triedAt = this.#options.now();
    this.#fetching = this.#options
      .fetchKeys()
      .then((document) => {
        this.#keys = createLocalJWKSet(document);
        this.#fetchedAt = this.#options.now();
      })
      .catch((error) => this.#options.onFailure(error))
      .finally(() => {
        this.#fetching = null;
      });
    return this.#fetching;
  }
}
