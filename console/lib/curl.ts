import { isTokenNeeded } from './ledger.ts';

/** A command as a line for a shell. Quotes in it are written so that a POSIX shell leaves them alone. */
export function curlOf(path: string, body: object): string {
  const data = JSON.stringify(body).replaceAll("'", String.raw`'\''`);
  const token = isTokenNeeded() ? ' -H "authorization: Bearer $TOKEN"' : '';
  return `curl ${window.location.origin}${path}${token} -H 'content-type: application/json' -d '${data}'`;
}
