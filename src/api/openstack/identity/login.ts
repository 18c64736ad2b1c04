import { z } from 'zod';
import type { Credentials } from './accounts.ts';

const named = z.looseObject({ id: z.string().optional(), name: z.string().optional() });
const who = z.string().min(1).max(255);

/** What `POST /v3/auth/tokens` takes. Domains are passed over: there is one. */
export const LoginBody = z.looseObject({
  auth: z.looseObject({
    identity: z.looseObject({
      methods: z.array(z.enum(['password', 'application_credential', 'token'])).min(1),
      password: z.looseObject({ user: named.extend({ password: z.string().max(1024) }) }).optional(),
      application_credential: named.extend({ secret: z.string().max(1024) }).optional(),
      token: z.looseObject({ id: z.string().max(8192) }).optional(),
    }),
    scope: z.union([z.literal('unscoped'), z.looseObject({ project: named.optional() })]).optional(),
  }),
});
export type LoginBody = z.output<typeof LoginBody>;

/** The credentials of the first method that comes with some; null where none does. */
export function credentialsIn({ auth: { identity } }: LoginBody): Credentials | null {
  const found = identity.methods.map((method) => readers[method](identity)).find((credentials) => credentials !== null);
  return found ?? null;
}

type Identity = LoginBody['auth']['identity'];

const readers: Readonly<Record<Credentials['method'], (identity: Identity) => Credentials | null>> = {
  password: ({ password: given }) => {
    const user = who.safeParse(given?.user.name ?? given?.user.id).data;
    return given && user ? { method: 'password', user, password: given.user.password } : null;
  },
  application_credential: ({ application_credential: given }) => {
    const credential = who.safeParse(given?.id ?? given?.name).data;
    return given && credential ? { method: 'application_credential', credential, secret: given.secret } : null;
  },
  token: ({ token }) => (token ? { method: 'token', token: token.id } : null),
};

/** The project a client wants to act for, where it says. */
export const projectIn = ({ auth: { scope } }: LoginBody): string | undefined =>
  typeof scope === 'object' ? (scope.project?.id ?? scope.project?.name) : undefined;
