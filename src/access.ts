import { unwatchFile, watchFile } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { Audit } from './api/access/audit.ts';
import { AuditFile } from './api/access/audit-file.ts';
import { type Identify, identifyByName } from './api/access/auth.ts';
import { identifyByJwt } from './api/access/oidc/identify-by-jwt.ts';
import { TokenBearers } from './api/access/token-bearers.ts';
import { noAccounts, parseTokensFile, type TokensFile } from './api/access/tokens.ts';
import type { Log } from './api/http/log.ts';
import { type Certificate, readCertificate } from './api/http/tls.ts';
import { type Config, ConfigError, isForAnybody } from './config.ts';

/** Who gets in, how the server proves who it is, and where it is written down who was turned away. */
export interface Access {
  readonly identify: Identify;
  /** Who may log in now on the OpenStack paths; null where nobody is asked who they are. */
  readonly accounts: (() => TokensFile) | null;
  /** Takes the tokens file as it is on the disk now; of one that is of no use it is told, and the one before stays. */
  readonly rereadTokens: () => Promise<void>;
  readonly audit: Audit;
  /** Null where the server speaks plain HTTP. */
  readonly certificate: Certificate | null;
  /** The certificate as it is on the disk now. @throws Error where it is of no use */
  readonly readCertificate: () => Promise<Certificate | null>;
  close(): Promise<void>;
}

type Settings = Omit<Config, 'mechanismDrivers'>;

/** A file that comes through a link to somewhere else is changed without a word: it is looked at so often. */
const lookMs = 1000;

/** @throws ConfigError with a line for each file that is of no use */
export async function openAccess(config: Settings, log: Log): Promise<Access> {
  const { tokensFile } = config;
  const accounts = await readAccounts(config);
  const bearers = accounts && new TokenBearers(accounts, Date.now);
  const certificateNow = async (): Promise<Certificate | null> =>
    config.tlsCertFile === '' ? null : readCertificate(config.tlsCertFile, config.tlsKeyFile);
  const certificate = await certificateNow().catch(unusable('STACKLEDGER_TLS_CERT_FILE', config.tlsCertFile));
  const file = await auditFile(config, log);
  const write = (refusal: object): void => (file ? file.write(refusal) : log.info('refused', { ...refusal }));
  const rereadTokens = async (): Promise<void> => {
    if (bearers && tokensFile !== '') await reread(tokensFile, bearers, log);
  };
  if (tokensFile !== '') watchFile(tokensFile, { interval: lookMs, persistent: false }, rereadTokens);
  return {
    identify: identifier(config, bearers, log),
    accounts: bearers && (() => bearers.file),
    rereadTokens,
    audit: new Audit(write, Date.now),
    certificate,
    readCertificate: certificateNow,
    close: async () => {
      unwatchFile(tokensFile, rereadTokens);
      await file?.close();
    },
  };
}

function identifier(config: Settings, bearers: TokenBearers | null, log: Log): Identify {
  if (!bearers) return identifyByName;
  return config.oidcIssuer === '' ? bearers.identify : identifyByJwt(config, bearers.identify, log);
}

/** Never throws: whoever has a token goes on with it while a file is being mended. */
async function reread(path: string, bearers: TokenBearers, log: Log): Promise<void> {
  try {
    const file = parseTokensFile(await readFile(path, 'utf8'));
    const revoked = bearers.replace(file);
    log.info('the tokens file was read again', { path, tokens: file.tokens.length, revoked });
  } catch (error) {
    const { message } = error as Error;
    log.error('the tokens file is of no use; the one before still counts', { path, error: message });
  }
}

/** Where only an identity provider says who somebody is, there are no accounts, and yet not everybody is welcome. */
async function readAccounts(config: Settings): Promise<TokensFile | null> {
  const { tokensFile: path } = config;
  if (isForAnybody(config)) return null;
  if (path === '') return noAccounts;
  return readFile(path, 'utf8').then(parseTokensFile).catch(unusable('STACKLEDGER_TOKENS_FILE', path));
}

async function auditFile({ auditFile: path }: Settings, log: Log): Promise<AuditFile | null> {
  if (path === '') return null;
  const onFailure = (error: unknown): void => log.error('a refusal could not be written down', { error });
  const onHalfLine = (): void => log.warn('a line of refusals broke off; it stays as a line of its own', { path });
  return AuditFile.open(path, onFailure, onHalfLine).catch(unusable('STACKLEDGER_AUDIT_FILE', path));
}

const unusable =
  (variable: string, path: string) =>
  (error: Error): never => {
    throw new ConfigError(error.message.split('\n').map((line) => `${variable}, ${path}: ${line}`));
  };
