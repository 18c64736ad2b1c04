import { readFile } from 'node:fs/promises';
import { Server as HttpsServer } from 'node:https';
import type { FastifyInstance } from 'fastify';
import { type Access, openAccess } from './access.ts';
import { AppendWatch } from './api/commands/append-watch.ts';
import { Connections } from './api/http/connections.ts';
import { Log } from './api/http/log.ts';
import { Metrics } from './api/monitoring/metrics.ts';
import { type ReaderPosition, watchReaderLag } from './api/monitoring/reader-lag.ts';
import { buildApi } from './api/server.ts';
import { Background } from './background.ts';
import { type Config, ConfigError } from './config.ts';
import { aggregates } from './domain/aggregates.ts';
import { flows } from './domain/flows/flows.ts';
import type { PortSettings } from './domain/port/drivers/configured.ts';
import { AnchorKeeper } from './runtime/anchors/anchor-keeper.ts';
import { readAnchorKey } from './runtime/anchors/anchor-key.ts';
import { ArchiveKeeper } from './runtime/archiving/archive-keeper.ts';
import { type Clock, ManualClock, SystemClock } from './runtime/clock.ts';
import { LeasedWork } from './runtime/leased-work.ts';
import { beginningOf } from './runtime/notifier/checkpoint.ts';
import { NovaNotifier } from './runtime/notifier/nova-notifier.ts';
import type { NovaNotifierOptions } from './runtime/notifier/nova-notifier-options.ts';
import { Runtime } from './runtime/runtime.ts';
import { type EventStore, formatPosition, parsePosition } from './store/event-store.ts';
import { ledgerFileOf, openStore } from './store/open-store.ts';
import { withoutPassword } from './without-password.ts';

/** The settings, or instead of the drivers' names a site's own drivers. */
export type LedgerConfig = Omit<Config, 'mechanismDrivers'> & PortSettings;

/** A running ledger. */
export interface Stackledger {
  readonly url: string;
  /**
   * Reads the tokens file again, and the certificate, for the connections from now on.
   * @throws Error where the certificate is of no use; the old one stays, as the old tokens do
   */
  reread(): Promise<void>;
  /** Takes no more requests, finishes those in flight, ends the streams, closes the ledger. */
  stop(): Promise<void>;
}

/**
 * Starts a ledger: the one place where its parts are put together.
 *
 * @example
 * const ledger = await startStackledger(loadConfig(['--store', 'memory:', '--port', '0'], {}));
 * await fetch(`${ledger.url}/livez`);
 * await ledger.stop();
 *
 * @param open opens the ledger; another than `openStore` for those who put something between
 * @throws ConfigError, StoreError with a message for the person who starts it
 */
export async function startStackledger(config: LedgerConfig, open: typeof openStore = openStore): Promise<Stackledger> {
  const log = new Log(config.logLevel, (line) => process.stderr.write(line));
  const access = await openAccess(config, log);
  /** Ends what was begun, the last first: also where what comes after it cannot begin. */
  const endings = [() => access.close()];
  const end = async (): Promise<void> => {
    for (const ending of endings.splice(0).reverse()) await ending();
  };
  try {
    const opened = await open(config.store, {
      clock: config.clock,
      archiveFile: config.archiveFile,
      archives: config.archiveDeletedAfter !== null,
    });
    endings.push(() => opened.close());
    const clock = config.clock === 'manual' ? new ManualClock(await timeOfLastEvent(opened)) : new SystemClock();
    const { app, runtime, background, archiving, readers } = await assemble(config, opened, clock, access, log);
    const connections = new Connections(app.server);
    const notifier = await novaNotifier(config, { store: opened, runtime }, readers, log);
    await notifier?.start();
    endings.push(async () => notifier?.stop());
    const anchors = await anchorKeeper(config, opened, log);
    await anchors?.start();
    endings.push(async () => anchors?.stop());
    const url = await listen(app, config);
    log.info('listening', { url, store: withoutPassword(config.store) });
    background.start();
    archiving?.start();
    endings.push(async () => archiving?.stop());
    const stop = async (): Promise<void> => {
      await stopListening(app, connections, config.shutdownMs);
      runtime.close();
      await background.stop();
      await end();
    };
    const reread = async (): Promise<void> => {
      await access.rereadTokens();
      await renewCertificate(app, access, log);
    };
    return { url, stop, reread };
  } catch (error) {
    await end();
    throw error;
  }
}

interface Assembled {
  readonly app: FastifyInstance;
  readonly runtime: Runtime;
  readonly background: Background;
  readonly archiving: ArchiveKeeper | null;
  /** Who follows the ledger, with how far each has come. */
  readonly readers: Record<string, ReaderPosition>;
}

async function assemble(
  config: LedgerConfig,
  opened: EventStore,
  clock: Clock,
  access: Access,
  log: Log,
): Promise<Assembled> {
  const metrics = new Metrics();
  const appends = new AppendWatch((seconds, outcome) => metrics.appended(seconds, outcome));
  const store = appends.over(opened);
  const runtime = new Runtime({
    store,
    aggregates,
    clock,
    // Decisions know the settings by the same names, and look at no other; the token is nobody's business there.
    settings: { ...config, novaNotifyToken: undefined },
    cachedResources: config.cachedResources,
    snapshotEvery: config.snapshotEvery,
    observer: metrics,
  });
  const background = new Background({
    store,
    runtime,
    flows,
    ledgerFile: ledgerFileOf(config.store),
    viewsFile: config.viewsFile,
    cachedResources: config.cachedResources,
    observer: metrics,
  });
  const app = await buildApi({
    runtime,
    store,
    views: background.views,
    aggregates,
    settings: config,
    metrics,
    identify: access.identify,
    accounts: access.accounts,
    audit: access.audit,
    certificate: access.certificate,
    readiness: [() => appends.refusal, () => background.unreadiness()],
    settled: () => background.settled(),
    version: await ownVersion(),
    maxBodyBytes: config.maxBodyBytes,
    maxInFlight: config.maxInFlight,
    admission: config,
    readWaitMs: config.readWaitMs,
    bulk: { maxRequests: config.maxBulkRequests, window: config.bulkWindow, lagMs: config.eventStreamLagMs },
    streams: { pingMs: config.eventStreamPingMs, lagMs: config.eventStreamLagMs },
    log,
  });
  metrics.onBackgroundFailure = (what, error) => log.warn(`${what} failed`, { error });
  metrics.onFlowRefusal = (flow, command, { slug, message }) =>
    log.info(`${command} was refused: ${message}`, { flow, command, problem: slug });
  const readers: Record<string, ReaderPosition> = { ...background.positions };
  watchReaderLag({ metrics, store, clock, readers });
  return { app, runtime, background, archiving: await archiveKeeper(config, store, clock, metrics, log), readers };
}

/** Archives deleted resources, where that is asked for. */
async function archiveKeeper(
  config: LedgerConfig,
  store: EventStore,
  clock: Clock,
  metrics: Metrics,
  log: Log,
): Promise<ArchiveKeeper | null> {
  const { archiveDeletedAfter: afterMs } = config;
  const ledgerFile = ledgerFileOf(config.store);
  if (afterMs === null || ledgerFile === null) return null;
  const { archiverBeside } = await import('./store/sqlite/start-archiver.ts');
  return new ArchiveKeeper({
    store,
    aggregates,
    open: () => archiverBeside(ledgerFile),
    afterMs,
    clock,
    onArchived(archived) {
      metrics.archived(archived);
      log.info('deleted resources were archived', { ...archived });
    },
    onFailure: (error) => metrics.backgroundFailed('archive', error),
  });
}

/** Tells a Nova outside what ports tell their servers, where that is asked for. Nova lives in real time. */
async function novaNotifier(
  config: LedgerConfig,
  { store, runtime }: { readonly store: EventStore; readonly runtime: Runtime },
  readers: Record<string, ReaderPosition>,
  log: Log,
): Promise<LeasedWork | null> {
  const { novaNotifyUrl: url, novaNotifyToken: token } = config;
  if (url === '') return null;
  const options: NovaNotifierOptions = {
    url,
    ...(token !== '' && { token }),
    batchMs: config.novaNotifyBatchMs,
    maxBatch: config.novaNotifyMaxBatch,
    timeoutMs: config.novaNotifyTimeoutMs,
    store,
    runtime,
    ports: aggregates.port,
    clock: new SystemClock(),
    fetch,
    random: Math.random,
    observer: {
      deadLettered: (letter) => log.error('Nova refused to be told', { ...letter }),
      recordFailed: ({ event, position }, error) =>
        log.error('what Nova refused was not recorded with its port', { event, position, error }),
      deliveryFailed: (detail) => log.warn(`Nova takes nothing at the moment: ${detail}`),
      deliveryResumed: () => log.info('Nova takes notifications again'),
      eventSkipped: (position, error) => log.error('a port whose story cannot be told to Nova', { position, error }),
      followFailed: (error) => log.warn('notifications wait for the ledger', { error }),
      checkpointFailed: (error) => log.warn('the checkpoint of notifications was not kept', { error }),
    },
  };
  await beginningOf(options);
  let current: NovaNotifier | null = null;
  readers['nova-notifier'] = () => current?.workingPosition ?? null;
  return new LeasedWork({
    store,
    name: 'nova-notifier',
    make(lost) {
      current = new NovaNotifier({ ...options, lost });
      return current;
    },
    onTurn: () => log.info('this process tells Nova'),
    onFailure: (error) => log.error('notifications could not begin', { error }),
  });
}

/** Keeps signed anchors of the ledger, where that is asked for. */
async function anchorKeeper(config: LedgerConfig, store: EventStore, log: Log): Promise<LeasedWork | null> {
  const { anchorsFile: path, anchorKeyFile, anchorEveryMs: everyMs } = config;
  if (path === '') return null;
  const key = await readAnchorKey(anchorKeyFile).catch((error) => {
    throw new ConfigError([`STACKLEDGER_ANCHOR_KEY_FILE: ${error.message}`]);
  });
  const onFailure = (error: unknown): void => log.error('the ledger could not be anchored', { error });
  const onHalfLine = (): void => log.warn('an anchor broke off; it stays as a line of its own', { path });
  const options = { store, path, key, everyMs, clock: new SystemClock(), onFailure, onHalfLine };
  return new LeasedWork({
    store,
    // Who names the same file takes turns; who names another keeps a series of anchors of its own.
    name: `anchors-${path}`,
    make: (lost) => new AnchorKeeper({ ...options, lost }),
    onTurn: () => log.info('this process anchors the ledger', { path }),
    onFailure,
  });
}

/** Connections that are open go on with what they began with. */
async function renewCertificate(app: FastifyInstance, access: Access, log: Log): Promise<void> {
  const certificate = await access.readCertificate();
  const { server } = app;
  if (!certificate || !(server instanceof HttpsServer)) return;
  server.setSecureContext(certificate);
  log.info('the certificate was read again');
}

/** Time that stands still stands where the ledger ends; undefined where nothing is recorded yet. */
async function timeOfLastEvent(store: EventStore): Promise<number | undefined> {
  const head = parsePosition(await store.head());
  if (head === 0) return undefined;
  for await (const { time } of store.readAll({ after: formatPosition(head - 1) })) return Date.parse(time);
  return undefined;
}

async function listen(app: FastifyInstance, { host, port }: LedgerConfig): Promise<string> {
  try {
    return await app.listen({ host, port });
  } catch (error) {
    await app.close();
    const { code, message } = error as NodeJS.ErrnoException;
    throw new ConfigError([
      reasons[code ?? '']?.(`${host}:${port}`) ?? `Cannot listen on ${host}:${port}: ${message}.`,
    ]);
  }
}

const reasons: Readonly<Record<string, (address: string) => string>> = {
  EADDRINUSE: (address) => `${address} is taken by another program; stop that one, or set STACKLEDGER_PORT.`,
  EADDRNOTAVAIL: (address) => `${address} is no address of this machine; set STACKLEDGER_HOST.`,
  EACCES: (address) => `${address} is not for this user; set STACKLEDGER_PORT to 1024 or above.`,
};

/** How often connections are looked through for those that have become idle while the server stops. */
const reapMs = 25;

async function stopListening(app: FastifyInstance, connections: Connections, patienceMs: number): Promise<void> {
  const reaper = setInterval(() => connections.closeUnused(), reapMs);
  const cutOff = setTimeout(() => app.server.closeAllConnections(), patienceMs);
  try {
    await app.close();
  } finally {
    clearInterval(reaper);
    clearTimeout(cutOff);
  }
}

const ownVersion = async (): Promise<string> => {
  const text = await readFile(new URL('../package.json', import.meta.url), 'utf8');
  return (JSON.parse(text) as { version: string }).version;
};
