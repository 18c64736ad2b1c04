import { readFile, writeFile } from 'node:fs/promises';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { messagesOf } from '../../src/cli/ingest/files.ts';
import { ingest, type Reject } from '../../src/cli/ingest/ingest.ts';
import { createProgram } from '../../src/cli/program.ts';
import { createClient } from '../../src/client/index.ts';
import { loadConfig } from '../../src/config.ts';
import { type Stackledger, startStackledger } from '../../src/main.ts';
import { nthId } from '../support/ledger.ts';
import { temporaryFolder } from './ledger-file.ts';
import { patient, run } from './run.ts';

vi.setConfig(patient);

const recording = 'demo/recordings/nova/stock/boot_success.notifications.json';
const booted = '18664f5e-4daa-46f3-8066-14582adf1589';

let ledger: Stackledger;

beforeAll(async () => {
  ledger = await startStackledger(loadConfig(['--store', 'memory:', '--port', '0', '--log-level', 'silent'], {}));
  return () => ledger.stop();
});

const client = () => createClient({ baseUrl: ledger.url });

/** Ingests a file, in this process. */
async function take(file: string) {
  const rejects: Reject[] = [];
  const messages = messagesOf([file], new AbortController().signal);
  const summary = await ingest(messages, { client: client(), reject: (reject) => rejects.push(reject) });
  return { summary, rejects };
}

async function takeText(text: string) {
  const file = `${await temporaryFolder()}/messages`;
  await writeFile(file, text);
  const { summary, rejects } = await take(file);
  return { summary, rejects: rejects.map((reject) => ({ ...reject, place: reject.place.replace(file, 'file') })) };
}

const message = (number: number, port: object = {}) => ({
  message_id: `message-${number}`,
  event_type: 'port.update.end',
  publisher_id: 'network.host-1',
  timestamp: `2026-05-28 12:00:${String(number).padStart(2, '0')}`,
  payload: { port: { id: nthId(1), status: 'DOWN', ...port } },
});
const lines = (...messages: readonly unknown[]): string =>
  messages.map((line) => (typeof line === 'string' ? line : JSON.stringify(line))).join('\n');

describe('a recording of a Nova', () => {
  it('is recorded, and not again when it is ingested again', async () => {
    expect((await take(recording)).summary).toMatchObject({ messages: 55, recorded: 27, unchanged: 22, unexpected: 0 });
    await expect(client().server(booted).state()).rejects.toMatchObject({ status: 410 });
    expect((await take(recording)).summary).toMatchObject({ messages: 55, recorded: 0, repeated: 27, unchanged: 22 });
  });

  it('gives no command but observations', async () => {
    const given = new Set<string>();
    for await (const { cause } of client().server(booted).history()) given.add(String(cause.commandType));
    expect([...given]).toEqual(['ObserveServer']);
  });
});

describe('messages of all sorts', () => {
  it('are counted by what became of them, and what is no message is told with its place', async () => {
    const { summary, rejects } = await takeText(
      lines(
        message(1),
        message(9, { status: 'ERROR' }),
        'hello',
        { 'oslo.version': '2.0', 'oslo.message': JSON.stringify(message(5)) },
        message(9, { status: 'ERROR' }),
        { event_type: 'flavor.create', payload: {} },
      ),
    );
    expect(summary).toEqual({
      messages: 6,
      recorded: 3,
      unexpected: 1,
      late: 1,
      unchanged: 0,
      repeated: 1,
      rejected: 1,
      skipped: { 'it is of a service or a resource that is not recorded': 1 },
    });
    expect(rejects).toEqual([{ place: 'file:3', reason: 'It is no JSON.', message: 'hello' }]);
    expect((await client().port(nthId(1)).state()).state).toMatchObject({
      status: 'ERROR',
      observation: { source: 'network.host-1 port.update.end message-9', unexpected: true },
      lateObservation: { observedAt: '2026-05-28T12:00:05.000Z' },
    });
  });

  it.each([
    ['over several lines', JSON.stringify(message(20), null, 2), 1],
    ['in an array', JSON.stringify([message(21), message(22)]), 2],
    ['one a line, with empty lines between', `\n${lines(message(23), '', message(24))}\n`, 2],
  ])('%s are read', async (_how, text, messages) => {
    expect((await takeText(text)).summary).toMatchObject({ messages, recorded: messages, rejected: 0 });
  });

  it('are read on after a first line that is cut off', async () => {
    const { summary, rejects } = await takeText(lines('{"event_type": "port.upd', message(25)));
    expect(summary).toMatchObject({ recorded: 1, rejected: 1 });
    expect(rejects).toMatchObject([{ place: 'file:1' }]);
  });
});

describe('stackledger ingest', () => {
  it('reads standard input, keeps rejects, and sums up', async () => {
    const rejects = `${await temporaryFolder()}/rejects.ndjson`;
    const input = lines(message(30), 'hello');
    const { code, stdout } = await run(['ingest', '-', '--rejects', rejects, '--url', ledger.url], { input });
    expect({ code, lines: stdout.split('\n').slice(1) }).toEqual({
      code: 0,
      lines: [
        '1 observation recorded; 0 told nothing new; 0 had been recorded before.',
        '1 message could not be understood.',
        '',
      ],
    });
    expect(JSON.parse(await readFile(rejects, 'utf8'))).toMatchObject({ place: 'standard input:2', message: 'hello' });
  });

  it.each([
    [[], 'Name either files or --amqp.'],
    [['-', '--amqp', 'amqp://rabbit'], 'Name either files or --amqp.'],
    [['--amqp', 'http://user:secret@rabbit'], '--amqp must be of the form amqp[s]://user:password@host:port/vhost.'],
  ])('refuses %j', async (args, reason) => {
    const line = ['ingest', ...args];
    await expect(createProgram().parseAsync(line, { from: 'user' })).rejects.toThrow(reason);
  });
});
