/**
 * What `bench/peer.ts` asks for, done by Emmett on its SQLite store. Plain JavaScript, since the types of this package are not
 * installed where the rest of the repository is checked. One message, one answer.
 */

import { DeciderCommandHandler } from '@event-driven-io/emmett';
import { getSQLiteEventStore, sqliteConnection } from '@event-driven-io/emmett-sqlite';

const [fileName, connections] = process.argv.slice(2);
const connection = sqliteConnection({ fileName });
/** By default each of its transactions opens a connection. Sharing one is faster, but holds one transaction at a time. */
const connectionOptions = connections === 'shared' ? { singleton: true, connection } : {};
const store = getSQLiteEventStore({ fileName, connectionOptions });

/** A port with a name and a status, as much of one as the commands of the benchmark touch. */
const port = {
  initialState: () => ({ name: null, status: 'DOWN', updates: 0 }),
  evolve: (state, { type, data }) =>
    type === 'PortUpdated' ? { ...state, ...data.changed, updates: state.updates + 1 } : { ...state, name: data.name },
  decide: ({ type, data }, state) => {
    if (type === 'CreatePort') return { type: 'PortCreated', data };
    return data.name === state.name ? [] : { type: 'PortUpdated', data: { changed: data } };
  },
};
const handle = DeciderCommandHandler(port);

/** When the task in hand is given up. */
let deadline = 0;
/** How often each failure was answered by doing the same again, in the task in hand. */
let retried = {};

async function insist(work) {
  for (;;) {
    if (performance.now() > deadline) throw new Error('time is up');
    try {
      return await work();
    } catch (error) {
      retried[error.message] = (retried[error.message] ?? 0) + 1;
    }
  }
}

const give = (stream, type, name) => insist(() => handle(store, stream, { type, data: { name } }));

async function rate(count, work) {
  const start = performance.now();
  await work();
  return count / ((performance.now() - start) / 1000);
}

async function inTurns(count, inFlight, work) {
  let next = 0;
  const worker = async () => {
    for (let n = next++; n < count; n = next++) await work(n);
  };
  await Promise.all(Array.from({ length: inFlight }, worker));
}

const update = (n) => ({ type: 'PortUpdated', data: { changed: { name: `name ${n}` } } });

/** What one statement may insert is bounded by its number of parameters. */
const eventsAnAppend = 1000;

async function append(stream, events) {
  for (let from = 0; from < events.length; from += eventsAnAppend)
    await insist(() => store.appendToStream(stream, events.slice(from, from + eventsAnAppend)));
}

const tasks = {
  async settings() {
    // Opening a connection asks for the write-ahead log as well, but does not wait for it: a transaction may be earlier.
    await connection.command('PRAGMA journal_mode = WAL');
    await insist(() => store.schema.migrate());
    const pragma = async (name) => Object.values(await connection.querySingle(`PRAGMA ${name}`))[0];
    return { journalMode: await pragma('journal_mode'), synchronous: await pragma('synchronous') };
  },

  /** Commands on streams of their own name, each of which must be there at the end. */
  async commands({ prefix, streams, commands, inFlight }) {
    const names = Array.from({ length: streams }, (_, n) => `port-${prefix}-${n}`);
    for (const name of names) await give(name, 'CreatePort', 'new');
    const perSecond = await rate(commands, () =>
      inTurns(commands, inFlight, (n) => give(names[n % streams], 'UpdatePort', `name ${n}`)),
    );
    let stored = 0;
    for (const name of names) stored += (await store.readStream(name)).events.length - 1;
    if (stored !== commands) throw new Error(`${stored} of ${commands} changes were stored`);
    return perSecond;
  },

  async fill({ prefix, streams, eventsAStream }) {
    for (let n = 0; n < streams; n++) {
      const created = { type: 'PortCreated', data: { name: `port ${n}` } };
      await append(`port-${prefix}-${n}`, [created, ...Array.from({ length: eventsAStream - 1 }, (_, k) => update(k))]);
    }
  },

  async read({ stream, events }) {
    return rate(events, async () => {
      const read = await store.readStream(stream);
      if (read.events.length !== events) throw new Error(`${read.events.length} of ${events} events were read`);
    });
  },

  /** The state of a port, folded from its whole stream: the store keeps no snapshots. */
  async load({ stream, events, times }) {
    return rate(times, async () => {
      for (let n = 0; n < times; n++) {
        const { state } = await store.aggregateStream(stream, port);
        if (state.updates !== events - 1) throw new Error(`${state.updates} changes were folded`);
      }
    });
  },

  /** One table with the state of every port, built by the store's own consumer from the first event to the last. */
  async rebuild() {
    const { last } = await connection.querySingle('SELECT max(global_position) AS last FROM emt_messages');
    await connection.command('DROP TABLE IF EXISTS ports');
    await connection.command('CREATE TABLE ports (stream TEXT PRIMARY KEY, state TEXT NOT NULL)');
    await connection.command('DELETE FROM emt_processors');
    const states = new Map();
    const consumer = store.consumer({ pulling: { batchSize: 1000, pullingFrequencyInMs: 0 } });
    let seen = 0;
    consumer.processor({
      processorId: 'ports',
      startFrom: 'BEGINNING',
      stopAfter: ({ metadata }) => metadata.globalPosition === BigInt(last),
      async eachMessage(event, { connection: transaction }) {
        seen += 1;
        const stream = event.metadata.streamName;
        const state = port.evolve(states.get(stream) ?? port.initialState(), event);
        states.set(stream, state);
        await transaction.command(
          'INSERT INTO ports VALUES (?, ?) ON CONFLICT (stream) DO UPDATE SET state = excluded.state',
          [stream, JSON.stringify(state)],
        );
      },
    });
    const perSecond = await rate(last, () => consumer.start());
    await consumer.close();
    const { shown } = await connection.querySingle('SELECT count(*) AS shown FROM ports');
    if (shown !== states.size || seen !== last) throw new Error(`${seen} of ${last} events, ${shown} ports were shown`);
    return perSecond;
  },
};

process.on('message', async ({ task, withinMs, ...given }) => {
  deadline = performance.now() + withinMs;
  retried = {};
  try {
    process.send({ answer: await tasks[task](given), retried });
  } catch (error) {
    process.send({ failed: error.message, retried });
  }
});
process.on('disconnect', () => process.exit());
