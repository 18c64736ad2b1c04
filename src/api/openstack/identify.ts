import type { Caller, Identify } from '../access/auth.ts';

/** Finds the caller a token was issued to by the identity service; null where this one was not issued here. */
export type FindIssued = (token: string) => Caller | null;

/** On the OpenStack paths a token comes in `X-Auth-Token`: one that was issued to a login, or one of the tokens file. */
export const byAuthToken =
  (identify: Identify, findIssued: FindIssued): Identify =>
  (headers) => {
    const token = headers['x-auth-token'];
    if (typeof token !== 'string') return identify(headers);
    return findIssued(token) ?? identify({ ...headers, authorization: `Bearer ${token}` });
  };
