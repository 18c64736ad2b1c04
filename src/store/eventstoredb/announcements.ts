import { randomUUID } from 'node:crypto';
import type { Connection } from './connection.ts';
import { internalPrefix } from './wire-event.ts';

/** What processes say to each other; the feed of each hears it. The server may forget it after a while. */
export const announcementStream = `${internalPrefix}announcements`;

const maxAgeSeconds = 300;

export async function announce(connection: Connection, text: string): Promise<void> {
  const event = {
    id: randomUUID(),
    type: 'Announced',
    contentType: 'application/json' as const,
    data: { text },
    metadata: {},
  };
  const { nextExpectedRevision } = await connection.attempt((client) =>
    client.appendToStream(announcementStream, event, { expectedRevision: 'any', requiresLeader: true }),
  );
  if (nextExpectedRevision > 0n) return;
  await connection.attempt((client) => client.setStreamMetadata(announcementStream, { maxAge: maxAgeSeconds }));
}

export const announcementIn = (data: unknown): string => (data as { text: string }).text;
