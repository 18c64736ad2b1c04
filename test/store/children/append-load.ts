/** Appends from many writers until it is killed; prints stream, revision and event id of each append once it is answered. */
import { randomUUID } from 'node:crypto';
import { writeSync } from 'node:fs';
import { openStore } from '../../../src/store/open-store.ts';
import { someEvents } from '../../contract/support.ts';

const store = await openStore(`sqlite:${process.argv[2]}`);
const write = async (): Promise<never> => {
  const stream = `port-${randomUUID()}`;
  for (let revision = 0; ; revision++) {
    const events = someEvents(1);
    await store.append({ stream, expectedRevision: revision - 1, events });
    writeSync(1, `${stream} ${revision} ${events[0]!.id}\n`);
  }
};
await Promise.all(Array.from({ length: 16 }, write));
