import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { serverAggregate } from '../../src/domain/server/index.ts';
import type { Server } from '../../src/domain/server/state.ts';
import { translate } from '../../src/ingest/translate.ts';
import { Resource } from '../support/story.ts';

const folder = new URL('../../demo/recordings/nova/', import.meta.url);
const recordings = ['stock', 'pending'].flatMap((kind) =>
  readdirSync(new URL(kind, folder))
    .filter((file) => file.endsWith('.json') && !file.endsWith('.notifications.json'))
    .map((file) => `${kind}/${file}`),
);

interface Step {
  step: string;
  request?: { microversion: string };
  response?: { body?: { server?: Record<string, unknown> } };
  /** Those that the recorder found worth telling. */
  notifications_since_last_step: { event_type: string }[];
}

const read = (file: string) => JSON.parse(readFileSync(new URL(file, folder), 'utf8'));

/** The servers as they were seen by their notifications alone. */
class Watched {
  readonly servers = new Map<string, Resource<Server>>();

  hear(message: unknown): void {
    const translation = translate(message);
    expect(translation.outcome).not.toBe('rejected');
    if (translation.outcome !== 'observed') return;
    for (const { id, type, data } of translation.observations) {
      const server = this.servers.get(id) ?? new Resource(serverAggregate, id);
      this.servers.set(id, server);
      server.execute(type, data);
    }
  }
}

describe('a Nova that is watched through its notifications', () => {
  let compared = 0;

  test.each(recordings)('%s: each server is what Nova showed at each step', (file) => {
    const { trace } = read(file) as { trace: Step[] };
    const messages = read(file.replace(/\.json$/, '.notifications.json')) as { event_type: string }[];
    const watched = new Watched();
    for (const { step, request, response, notifications_since_last_step: told } of trace) {
      for (const { event_type } of told) {
        const next = messages.findIndex((message) => message.event_type === event_type);
        for (const message of messages.splice(0, next + 1)) watched.hear(message);
      }
      const shown = response?.body?.server;
      const server = watched.servers.get(String(shown?.id));
      const isOldClient = request?.microversion !== 'latest'; // it is shown ERROR for PENDING
      if (!shown?.status || !server || isOldClient) continue;
      compared += 1;
      const { status, vmState, taskState } = server.view;
      expect({ step, status, vmState, taskState }).toEqual({
        step,
        status: shown.status,
        vmState: shown['OS-EXT-STS:vm_state'],
        taskState: shown['OS-EXT-STS:task_state'],
      });
    }
    for (const message of messages) watched.hear(message);
    for (const { view } of watched.servers.values()) expect(view.observation).toMatchObject({ unexpected: false });
  });

  test('is compared at many steps', () => expect(compared).toBeGreaterThan(20));
});
