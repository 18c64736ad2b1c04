import type { ResourceRef } from '../../domain/kernel/resource.ts';
import type { CommandRequest } from '../../runtime/command.ts';
import type { Caller } from '../access/auth.ts';
import type { CommandHeaders } from '../http/headers.ts';

/** The command a caller gives, field by field: to merge its parts by spreading them takes longer than to decide it. */
export const commandOf = (
  resource: ResourceRef,
  { type, data }: Pick<CommandRequest, 'type' | 'data'>,
  { actor, administrator }: Caller,
  { key, asked, ifRevision, correlationId, traceparent, requestId }: CommandHeaders & Pick<CommandRequest, 'asked'>,
): CommandRequest => ({
  resource,
  type,
  data,
  actor,
  administrator,
  key,
  asked,
  ifRevision,
  correlationId,
  traceparent,
  requestId,
});
