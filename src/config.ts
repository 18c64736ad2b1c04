import { z } from 'zod';
import { levels } from './api/http/log.ts';
import { isLoopback, isTamperProof } from './api/http/loopback.ts';
import { parseDuration } from './api/schemas/duration.ts';
import { defaultMechanismDrivers, mechanismDrivers } from './domain/port/drivers/configured.ts';
import { withoutPassword } from './without-password.ts';

const driverNames = mechanismDrivers.map(({ name }) => name);

const integer = (least: number, most: number) =>
  z
    .string()
    .regex(/^\d{1,15}$/, 'must be a whole number')
    .transform(Number)
    .refine((value) => value >= least && value <= most, `must be between ${least} and ${most}`);

const switchedOn = z
  .enum(['true', 'false', '1', '0'], 'must be true or false')
  .transform((value) => value === 'true' || value === '1');

const commaSeparated = z.string().transform((text) =>
  text
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== ''),
);

/** Who changes the keys on their way can be anybody. */
const tamperProofUrl = z
  .string()
  .refine((url) => url === '' || isTamperProof(url), 'must be an https URL, or an http URL of this machine');

/** In milliseconds; null where none is given. */
const duration = z.string().transform((text, context) => {
  if (text === '') return null;
  const milliseconds = parseDuration(text);
  if (milliseconds !== null) return milliseconds;
  context.addIssue({ code: 'custom', message: 'must be an ISO 8601 duration of weeks, days or less, as in P90D' });
  return z.NEVER;
});

const aDay = 86_400_000;
const aYear = 366 * aDay;

/** Every setting there is: its name in the program, what it may be, its default as a user would write it, what it does. */
const settings = {
  host: setting(z.string().min(1, 'must name an address'), '127.0.0.1', {
    does: 'Address to listen on. Any other than a loopback address needs `STACKLEDGER_TOKENS_FILE` or `STACKLEDGER_OIDC_ISSUER`.',
  }),
  port: setting(integer(0, 65_535), '8642', { does: 'Port to listen on; 0 takes any free one.' }),
  store: setting(
    z
      .string()
      .regex(/^(sqlite:.+|memory:|esdb(\+discover)?:\/\/.+)$/, 'must be sqlite:<path>, memory: or esdb://<host>'),
    'sqlite:./data/ledger.db',
    { does: 'Where the ledger is: `sqlite:<path>`, `memory:` (gone when the process ends) or `esdb://<host>:<port>`.' },
  ),
  archiveDeletedAfter: setting(duration, '', {
    does: 'Events of resources that were deleted so long ago move into an archive beside the ledger, where they are read as before: `P90D`. Needs a ledger in a file. Empty: never.',
  }),
  archiveFile: setting(z.string(), '', {
    does: 'The archive, where it is made or was moved to: say it once, the ledger remembers. Empty: where it was, or `<ledger>.archive`.',
  }),
  viewsFile: setting(z.string(), '', {
    does: 'File of the read models, of this process alone. Empty: beside the ledger, and in memory where it is not in a file.',
  }),
  tokensFile: setting(z.string(), '', {
    does: 'JSON file with the hashed tokens of those who may use the API. Empty: nobody is asked for a token.',
  }),
  auditFile: setting(z.string(), '', {
    does: 'File that gets a line for each refused command and each refused caller: who, what, why. Empty: the log gets them.',
  }),
  oidcIssuer: setting(tamperProofUrl, '', {
    does: 'Identity provider (OpenID Connect) whose JSON Web Tokens are taken beside those of the tokens file. Empty: none.',
  }),
  oidcAudience: setting(z.string(), '', {
    does: 'Audience (`aud`) that its tokens must be for. Needed with an issuer.',
  }),
  oidcJwksUrl: setting(tamperProofUrl, '', {
    does: "Where its keys are. Empty: where the issuer's discovery document says.",
  }),
  oidcNameClaim: setting(z.string().min(1), 'sub', { does: 'Claim with the name that events remember.' }),
  oidcRolesClaim: setting(z.string().min(1), 'roles', {
    does: 'Claim with the roles, a list or words in a text; `a.b` looks into objects.',
  }),
  oidcProjectClaim: setting(z.string(), '', {
    does: 'Claim with the project that the bearer is confined to, or `*` for the whole site. Empty: nobody is confined.',
  }),
  tlsCertFile: setting(z.string(), '', {
    does: 'Certificate chain (PEM) to serve HTTPS with; read again on SIGHUP. Empty: HTTP.',
  }),
  tlsKeyFile: setting(z.string(), '', { does: 'Its private key (PEM).' }),
  usePendingState: setting(switchedOn, 'false', {
    does: 'A server for which no host has room waits as PENDING instead of failing with ERROR.',
  }),
  pendingTimeoutMs: setting(integer(0, aYear), '3600000', {
    does: 'How long a PENDING server waits for somebody to make room before it becomes ERROR; 0: for ever.',
  }),
  pendingClaimMs: setting(integer(1, aYear), '300000', {
    does: 'How long a claim on a PENDING server lasts unless it is renewed.',
  }),
  maxAttempts: setting(integer(1, 1_000), '3', { does: 'Hosts tried for one build of a server.' }),
  buildTimeoutMs: setting(integer(0, aYear), '0', {
    does: 'A build of a server that takes longer becomes ERROR; 0: it may take for ever.',
  }),
  vifPluggingTimeoutMs: setting(integer(0, aYear), '300000', {
    does: 'How long a boot waits for its ports to be plugged; 0: it does not wait.',
  }),
  vifPluggingIsFatal: setting(switchedOn, 'true', {
    does: 'A boot whose ports were not plugged in time, or whose plugging failed, is given up.',
  }),
  maxConcurrentDeploy: setting(integer(1, 1_000_000), '250', { does: 'Nodes that may be deployed at the same time.' }),
  maxConcurrentClean: setting(integer(1, 1_000_000), '50', {
    does: 'Nodes that may be torn down or cleaned at the same time.',
  }),
  workersPerConductor: setting(integer(1, 1_000_000), '300', {
    does: 'Nodes that one conductor may work on at the same time.',
  }),
  deployCallBackTimeoutMs: setting(integer(0, aYear), '1800000', {
    does: 'How long a node in `wait call-back` may be silent before its deployment fails; 0: for ever.',
  }),
  cleanCallBackTimeoutMs: setting(integer(0, aYear), '1800000', {
    does: 'The same for a cleaning, in `clean wait`.',
  }),
  rescueCallBackTimeoutMs: setting(integer(0, aYear), '1800000', {
    does: 'The same for a rescue, in `rescue wait`.',
  }),
  serviceCallBackTimeoutMs: setting(integer(0, aYear), '1800000', {
    does: 'The same for a service, in `service wait`.',
  }),
  inspectTimeoutMs: setting(integer(0, aYear), '1800000', {
    does: 'How long an inspection may take altogether before it fails; 0: for ever.',
  }),
  allowProvisioningInMaintenance: setting(switchedOn, 'true', {
    does: 'Whether `provide` and call-backs work on a node in maintenance.',
  }),
  allowDeletingAvailableNodes: setting(switchedOn, 'true', {
    does: 'Whether a node that is available may be deleted.',
  }),
  driversWithoutInspectAbort: setting(commaSeparated, '', {
    does: 'Drivers whose inspection cannot be aborted while it waits, separated by commas.',
  }),
  mechanismDrivers: setting(
    commaSeparated.pipe(
      z.array(z.enum(driverNames, `must be among ${driverNames.join(', ')}`)).min(1, 'must name one'),
    ),
    defaultMechanismDrivers.map(({ name }) => name).join(','),
    { does: 'Mechanism drivers that are asked to bind a port, in this order.' },
  ),
  novaNotifyUrl: setting(
    z.union([z.literal(''), z.url({ protocol: /^https?$/ })], 'must be the http or https URL of a compute endpoint'),
    '',
    {
      does: 'Nova compute endpoint that is told when ports are plugged, unplugged and deleted. Empty: nobody is told.',
    },
  ),
  novaNotifyToken: setting(z.string().regex(/^[!-~]*$/, 'must be printable, without blanks'), '', {
    does: 'Sent to it as `X-Auth-Token`. Give it in the environment: a flag is seen by everybody on the machine.',
  }),
  novaNotifyBatchMs: setting(integer(0, 60_000), '2000', {
    does: 'After one request to Nova the next follows so much later, unless a whole batch is ready.',
  }),
  novaNotifyMaxBatch: setting(integer(1, 1_000), '64', { does: 'Events in one request to Nova at most.' }),
  novaNotifyTimeoutMs: setting(integer(1, 300_000), '10000', { does: 'How long Nova may take to answer.' }),
  anchorsFile: setting(z.string(), '', {
    does: 'File that gets a signed line now and then saying what the ledger was, so that `verify` can tell a cut-off end. Keep a copy elsewhere. Empty: none is made.',
  }),
  anchorKeyFile: setting(z.string(), '', { does: 'Private Ed25519 key (PEM) that signs the anchors.' }),
  anchorEveryMs: setting(integer(10, aYear), '3600000', { does: 'How long after one anchor the next is made.' }),
  clock: setting(z.enum(['system', 'manual'], 'must be system or manual'), 'system', {
    does: '`manual`: time stands still until `POST /v1/clock`. For tests of your own programs; never for a real ledger.',
  }),
  logLevel: setting(z.enum(levels, 'must be a level from silent to trace'), 'info', {
    does: 'How much is logged, as JSON lines on standard error. `debug` adds a line a request.',
  }),
  cachedResources: setting(integer(1, 10_000_000), '10000', {
    does: 'Resources whose state is kept in memory; others are loaded when a command or a reader asks for them.',
  }),
  snapshotEvery: setting(integer(1, 1_000_000), '200', {
    does: "Events after which a resource's state is kept beside its stream, so that loading it stays fast.",
  }),
  maxBodyBytes: setting(integer(1_024, 64 * 1_048_576), '1048576', {
    does: 'Longest body of a request, and longest line of a bulk request.',
  }),
  maxInFlight: setting(integer(1, 1_000_000), '4096', {
    does: 'Commands worked on at the same time; what comes beyond is answered 429.',
  }),
  maxReadsInFlight: setting(integer(1, 1_000_000), '2048', {
    does: 'Reads answered at the same time; what comes beyond is answered 429. `/livez`, `/readyz` and `/metrics` always are.',
  }),
  maxBulkRequests: setting(integer(1, 1_000_000), '1024', {
    does: 'Bulk requests open at the same time; what comes beyond is answered 429.',
  }),
  maxConnections: setting(integer(1, 1_000_000), '10000', {
    does: 'Connections open at the same time; what comes beyond is closed at once. The system must allow as many files (`ulimit -n`).',
  }),
  receiveMs: setting(integer(100, aDay), '30000', {
    does: 'How long the headers of a request may take to arrive, and its body after them; 408 then. The body of a bulk request may take for ever.',
  }),
  bulkWindow: setting(integer(1, 65_536), '1024', {
    does: 'Lines of one bulk request worked on at the same time; more are read when verdicts have gone out.',
  }),
  readWaitMs: setting(integer(0, 60_000), '5000', {
    does: 'How long a read with `min_position` waits for that position before it is answered 503.',
  }),
  eventStreamPingMs: setting(integer(10, aDay), '15000', {
    does: 'Silence after which an event stream gets a comment, so that nothing on the way takes it for dead.',
  }),
  eventStreamLagMs: setting(integer(10, aDay), '30000', {
    does: 'How long a reader of an event stream may leave its socket blocked before the stream is closed.',
  }),
  shutdownMs: setting(integer(0, aDay), '30000', {
    does: 'How long requests in flight may take to finish after SIGTERM before they are cut off.',
  }),
} as const satisfies Record<string, Setting>;

interface Setting<S extends z.ZodType<unknown, string> = z.ZodType<unknown, string>> {
  readonly schema: S;
  readonly byDefault: string;
  readonly does: string;
}

function setting<S extends z.ZodType<unknown, string>>(
  schema: S,
  byDefault: string,
  { does }: { does: string },
): Setting<S> {
  return { schema, byDefault, does };
}

type SettingName = keyof typeof settings;

export type Config = { readonly [N in SettingName]: z.output<(typeof settings)[N]['schema']> };

/** What is wrong with the settings: one line each, ready to be shown. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
  readonly lines: readonly string[];

  constructor(lines: readonly string[]) {
    super(lines.join('\n'));
    this.lines = lines;
  }
}

const names = Object.keys(settings) as SettingName[];
const words = (name: string): string[] => name.split(/(?=[A-Z])/).map((word) => word.toLowerCase());
const variableOf = (name: SettingName): string => `STACKLEDGER_${words(name).join('_').toUpperCase()}`;
const flagOf = (name: SettingName): string => `--${words(name).join('-')}`;

/** Settings whose value is never shown. */
const secrets: readonly SettingName[] = ['novaNotifyToken'];

/** Read by the command line when it talks to a server; they may well be set where a server is started. */
const clientVariables = new Set(['STACKLEDGER_URL', 'STACKLEDGER_TOKEN']);

/** Where a value was written, for the line that complains about it. */
interface Given {
  readonly value: string;
  readonly source: string;
}

/**
 * The settings of a process: flags before environment before defaults.
 *
 * @example
 * loadConfig(['--port', '9000'], { STACKLEDGER_STORE: 'memory:' }).port; // 9000
 * @throws ConfigError naming everything that is wrong at once
 */
export function loadConfig(args: readonly string[], environment: Readonly<Record<string, string | undefined>>): Config {
  const problems: string[] = [];
  const given = new Map([...fromEnvironment(environment, problems), ...fromFlags(args, problems)]);

  const entries = names.map((name) => {
    const { schema, byDefault } = settings[name];
    const { value, source } = given.get(name) ?? { value: byDefault, source: 'default' };
    const parsed = schema.safeParse(value);
    if (!parsed.success) problems.push(`${source}: ${parsed.error.issues[0]!.message}${notThis(name, value)}.`);
    return [name, parsed.data];
  });
  const config = Object.fromEntries(entries) as Config;

  if (problems.length === 0) problems.push(...contradictions.flatMap((complaint) => complaint(config) || []));
  if (problems.length > 0) throw new ConfigError(problems);
  return config;
}

/** What settings ask of each other, each good by itself: the condition that must not be, and what to do about it. */
const contradictions: readonly ((config: Config) => string | false)[] = [
  (config) =>
    isForAnybody(config) &&
    !isLoopback(config.host) &&
    `${variableOf('host')}=${config.host} would let anybody on the network change the ledger: set ${variableOf('tokensFile')} or ${variableOf('oidcIssuer')} (see docs/access.md), or listen on 127.0.0.1.`,
  ({ oidcIssuer, oidcAudience }) =>
    oidcIssuer !== '' &&
    oidcAudience === '' &&
    `${variableOf('oidcIssuer')} needs ${variableOf('oidcAudience')}: tokens that were issued for other services must not open this one.`,
  ({ tlsCertFile, tlsKeyFile }) =>
    (tlsCertFile === '') !== (tlsKeyFile === '') &&
    `${variableOf('tlsCertFile')} and ${variableOf('tlsKeyFile')} go together: set both, or neither.`,
  ({ anchorsFile, anchorKeyFile }) =>
    anchorsFile !== '' &&
    anchorKeyFile === '' &&
    `${variableOf('anchorsFile')} needs ${variableOf('anchorKeyFile')}: anchors that nobody signs prove nothing.`,
  ({ archiveDeletedAfter, archiveFile, store }) =>
    (archiveDeletedAfter !== null || archiveFile !== '') &&
    !store.startsWith('sqlite:') &&
    `${variableOf(archiveDeletedAfter === null ? 'archiveFile' : 'archiveDeletedAfter')} needs a ledger in a file, as in sqlite:./data/ledger.db; ${store.split(':')[0]}: has no archive (see docs/archive.md).`,
];

/** The value that was complained about, where it may be seen. */
const notThis = (name: SettingName, value: string): string =>
  secrets.includes(name) ? '' : `, not "${withoutPassword(value)}"`;

function fromEnvironment(
  environment: Readonly<Record<string, string | undefined>>,
  problems: string[],
): Map<SettingName, Given> {
  const known = new Map(names.map((name) => [variableOf(name), name]));
  const given = new Map<SettingName, Given>();
  for (const [variable, value] of Object.entries(environment)) {
    if (!variable.startsWith('STACKLEDGER_') || value === undefined || clientVariables.has(variable)) continue;
    const name = known.get(variable);
    if (name) given.set(name, { value, source: variable });
    else problems.push(`${variable}: there is no such setting; docs/settings.md lists them all.`);
  }
  return given;
}

function fromFlags(args: readonly string[], problems: string[]): Map<SettingName, Given> {
  const known = new Map(names.map((name) => [flagOf(name), name]));
  const given = new Map<SettingName, Given>();
  for (let index = 0; index < args.length; index++) {
    const [flag, ...rest] = args[index]!.split('=') as [string, ...string[]];
    const name = known.get(flag);
    const isSwitch = name !== undefined && settings[name].schema === switchedOn;
    let value = rest.length > 0 ? rest.join('=') : undefined;
    if (value === undefined && isSwitch) value = 'true';
    // What follows a flag is its value, unless it is a flag itself; also where nobody knows the flag.
    if (value === undefined && flag.startsWith('--') && args[index + 1]?.startsWith('--') === false)
      value = args[++index];

    if (!name) problems.push(`${withoutPassword(flag)}: there is no such flag; docs/settings.md lists them all.`);
    else if (value === undefined) problems.push(`${flag}: needs a value.`);
    else given.set(name, { value, source: flag });
  }
  return given;
}

/** Whether nobody is asked who they are. */
export const isForAnybody = ({ tokensFile, oidcIssuer }: Pick<Config, 'tokensFile' | 'oidcIssuer'>): boolean =>
  tokensFile === '' && oidcIssuer === '';

/** The table of docs/settings.md. */
export function renderSettings(): string {
  const rows = names.map((name) => {
    const { byDefault, does } = settings[name];
    return `| \`${variableOf(name)}\` | \`${flagOf(name)}\` | ${byDefault === '' ? '' : `\`${byDefault}\``} | ${does} |`;
  });
  return ['| variable | flag | default | what it does |', '| --- | --- | --- | --- |', ...rows].join('\n');
}
