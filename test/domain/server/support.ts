import { readFileSync } from 'node:fs';
import { serverAggregate } from '../../../src/domain/server/index.ts';
import type { Server } from '../../../src/domain/server/state.ts';
import { Resource } from '../../support/story.ts';

const read = <T>(folder: string, name: string): T =>
  JSON.parse(readFileSync(new URL(`../../../${folder}/${name}`, import.meta.url), 'utf8')) as T;

export const readVectors = <T>(name: string): T => read('test/vectors/nova', name);
export const readRecording = <T>(name: string): T => read('demo/recordings/nova', name);

/** A server under settings, where the defaults are not meant. */
export function aServer(settings: object = {}): Resource<Server> {
  const server = new Resource(serverAggregate);
  server.facts = { settings };
  return server;
}

/** One that runs on `host-1`. */
export function aRunningServer(settings: object = {}): Resource<Server> {
  const server = aServer(settings);
  server.execute('CreateServer', { name: 'web-1', flavorRef: 'small' });
  server.execute('ServerScheduled', { host: 'host-1' });
  server.execute('ReportBuildSuccess');
  return server;
}

/** One that an outside system has in just this state. */
export function anObservedServer(state: object): Resource<Server> {
  const server = aServer();
  server.execute('ObserveServer', { source: 'nova', ...state });
  return server;
}
