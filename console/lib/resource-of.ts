import type { Client, Kind, Resource } from '../../src/client/index.ts';

/** A resource whose kind only the address knows. */
export const resourceOf = (client: Client, kind: Kind, id: string): Resource<Kind> =>
  client[kind](id) as unknown as Resource<Kind>;
