/** A command as a line for a shell. Quotes in it are written so that a POSIX shell leaves them alone. */
export function curlOf(path: string, body: object): string {
  const data = JSON.stringify(body).replaceAll("'", String.raw`'\''`);
  return `curl ${window.location.origin}${path} -H 'content-type: application/json' -d '${data}'`;
}
