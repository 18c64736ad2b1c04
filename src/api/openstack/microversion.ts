import type { IncomingHttpHeaders } from 'node:http';
import type { Fault } from './fault.ts';

/** `major.minor`. The minor is kept apart from the text, because 2.10 comes after 2.9. */
export interface Microversion {
  readonly major: number;
  readonly minor: number;
}

export const microversion = (text: string): Microversion => {
  const [major, minor] = text.split('.').map(Number) as [number, number];
  return { major, minor };
};

export const textOf = ({ major, minor }: Microversion): string => `${major}.${minor}`;

const isAtLeast = (version: Microversion, { major, minor }: Microversion): boolean =>
  version.major > major || (version.major === major && version.minor >= minor);

/** Which versions a service speaks, and how it is asked for one. */
export interface MicroversionScheme {
  /** As in `OpenStack-API-Version: <service> 2.26`. */
  readonly service: string;
  /** The service's own header from before that one, such as `X-OpenStack-Nova-API-Version`. */
  readonly ownHeader: string;
  readonly least: Microversion;
  readonly most: Microversion;
  readonly malformed: (text: string) => Fault;
  readonly unsupported: (text: string, scheme: MicroversionScheme) => Fault;
  /** Headers on every answer beside those that name the version in use, such as the range. */
  readonly announced?: Readonly<Record<string, string>>;
}

const commonHeader = 'OpenStack-API-Version';

/** A version that was asked for: as text, so that it can be told back however far out of range it is. */
export function requested(headers: IncomingHttpHeaders, scheme: MicroversionScheme): string {
  return common(headers, scheme.service) ?? own(headers, scheme.ownHeader) ?? textOf(scheme.least);
}

/** `compute 2.26`, or several services with commas between; a service without a version says nothing. */
function common(headers: IncomingHttpHeaders, service: string): string | undefined {
  const text = String(headers[commonHeader.toLowerCase()] ?? '');
  for (const part of text.split(',')) {
    const [name, version] = /^\s*(\S+)\s+(.*?)\s*$/s.exec(part)?.slice(1) ?? [];
    if (name?.toLowerCase() === service && version) return version;
  }
  return undefined;
}

const own = (headers: IncomingHttpHeaders, header: string): string | undefined =>
  (headers[header.toLowerCase()] as string | undefined)?.trim();

const wellFormed = /^([1-9][0-9]*)\.([1-9][0-9]*|0)$/;

/** The version a request is answered in. @throws Fault where it is no version, or one the service does not speak */
export function negotiate(text: string, scheme: MicroversionScheme): Microversion {
  if (text === 'latest') return scheme.most;
  if (!wellFormed.test(text)) throw scheme.malformed(text);
  const version = microversion(text);
  if (isAtLeast(version, scheme.least) && isAtLeast(scheme.most, version)) return version;
  throw scheme.unsupported(text, scheme);
}

/** What an answer says of its version, errors and all. */
export const versionHeaders = (text: string, scheme: MicroversionScheme): Record<string, string> => ({
  [commonHeader]: `${scheme.service} ${text}`,
  [scheme.ownHeader]: text,
  vary: `${commonHeader}, ${scheme.ownHeader}`,
  ...scheme.announced,
});
