import type { ResourceRef } from '../domain/kernel/resource.ts';
import type { CommandRequest } from '../runtime/command.ts';
import type { Caller } from './auth.ts';
import type { CommandBody } from './command-schemas.ts';
import type { CommandHeaders } from './headers.ts';

/** The command a caller gives, field by field: to merge its parts by spreading them takes longer than to decide it. */
export const commandOf = (
  resource: ResourceRef,
  { type, data }: CommandBody,
  { actor, administrator }: Caller,
  { key, ifRevision, correlationId, traceparent, requestId }: CommandHeaders,
): CommandRequest => ({
  resource,
  type,
  data,
  actor,
  administrator,
  key,
  ifRevision,
  correlationId,
  traceparent,
  requestId,
});
