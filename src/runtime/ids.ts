import { hash } from 'node:crypto';
import { streamOf } from '../domain/kernel/resource.ts';
import type { Receipt } from '../store/event-store.ts';
import { canonicalJson } from './canonical-json.ts';
import type { CommandRequest } from './command.ts';

/** Namespaces of the ids derived here; fixed for ever, since stored ids depend on them. */
const namespaces = {
  event: '8c1d5b0e-3f0a-5c5e-9d0b-0a6f1d2e7c31',
  command: '2f6b7a52-6f0e-5f1c-8a41-5b7be7f7f6d4',
} as const;

/** UUIDv5 (RFC 9562): the same name always gives the same id. */
function uuidV5(namespace: string, name: string): string {
  const digest = hash('sha1', namespace + name, 'hex');
  const variant = ((Number.parseInt(digest[16]!, 16) & 0x3) | 0x8).toString(16);
  return `${digest.slice(0, 8)}-${digest.slice(8, 12)}-5${digest.slice(13, 16)}-${variant}${digest.slice(17, 20)}-${digest.slice(20, 32)}`;
}

/**
 * The id of one of a command's events, with everything that is recorded of it and, by the chain, before it. Stores take an
 * append whose ids are there already for a repeated one. So a command that another process carries out at the same moment,
 * on other facts or a millisecond later, must make other ids: it is then refused there, and answered with what the first
 * has done. That holds for its last event, too, which alone may be the same, and for its first, where it leads to fewer.
 */
export const eventId = (commandId: string, index: number, count: number, recorded: string): string =>
  uuidV5(namespaces.event, `${commandId}/${index}/${count}\n${recorded}`);

/** The id of a command that carries a key, such as an Idempotency-Key, or the event that a process manager acts on. */
export const commandIdOf = (stream: string, key: string): string => uuidV5(namespaces.command, `${stream}/${key}`);

/** What is kept of a keyed command: who gives it again asks for the same, whatever has become of the resource since. */
export function receiptOf({ resource, type, data, asked = data }: CommandRequest, key: string): Receipt {
  const bodyHash = hash('sha256', canonicalJson({ type, data: asked }), 'base64url');
  return { commandId: commandIdOf(streamOf(resource), key), bodyHash };
}
