/** A request as it goes over the wire. */
export interface WireRequest {
  readonly method: string;
  /** With its query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Buffer | null;
}

export const wire = (
  method: string,
  path: string,
  body: unknown = undefined,
  headers: Readonly<Record<string, string>> = {},
): WireRequest => ({
  method,
  path,
  headers: { ...headers, ...(body !== undefined && { 'content-type': 'application/json' }) },
  body: body === undefined ? null : JSON.stringify(body),
});

/** So that it can be typed in again. */
export function told({ method, path, headers, body }: WireRequest): string {
  const text = body === null ? '' : ` ${typeof body === 'string' ? body : `<${body.toString('hex')}>`}`;
  return `${method} ${path} ${JSON.stringify(headers)}${text}`.slice(0, 2_000);
}
