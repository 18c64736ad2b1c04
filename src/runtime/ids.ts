import { hash } from 'node:crypto';

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

/** The id of a command's nth event: a command that is given twice makes the same events. */
export const eventId = (commandId: string, index: number): string => uuidV5(namespaces.event, `${commandId}/${index}`);

/** The id of a command that carries a key, such as an Idempotency-Key, or the event that a process manager acts on. */
export const commandIdOf = (stream: string, key: string): string => uuidV5(namespaces.command, `${stream}/${key}`);
