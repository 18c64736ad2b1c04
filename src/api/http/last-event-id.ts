import type { IncomingHttpHeaders } from 'node:http';
import { invalidRequest } from '../problems/problem.ts';
import { position } from '../schemas/parameters.ts';

/** Where a reader that comes again goes on; undefined for one that is new. @throws Problem */
export function lastEventId(headers: IncomingHttpHeaders): string | undefined {
  const seen = headers['last-event-id'];
  if (seen === undefined || seen === '') return undefined;
  const parsed = position.safeParse(seen);
  if (parsed.success) return parsed.data;
  const detail = 'Last-Event-ID must be the id of a message of this stream.';
  throw invalidRequest([{ in: 'header', pointer: '/last-event-id', detail }]);
}
