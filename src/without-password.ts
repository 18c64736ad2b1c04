/**
 * A URL as it may be shown to whoever reads a log or looks over a shoulder. A password may hold anything when somebody has
 * forgotten to encode it, so it goes up to the last `@` before the query.
 *
 * @example
 * withoutPassword('esdb://admin:s3cret@n1:2113,n2:2113?tls=true'); // 'esdb://admin:***@n1:2113,n2:2113?tls=true'
 */
export const withoutPassword = (url: string): string =>
  url.replace(/^([\w+.-]+:\/\/[^:@/]*):(?:(?!\?\w+=).)*@/s, '$1:***@');
