import type { Chance } from './chance.ts';
import { nasty, nastyText, urlText } from './nasty.ts';
import type { WireRequest } from './request.ts';

type Mutation = (request: WireRequest, chance: Chance) => WireRequest;

/** A request with one to three things wrong with it. */
export function mutated(request: WireRequest, chance: Chance): WireRequest {
  let result = request;
  for (let times = 1 + chance.below(3); times > 0; times--) result = chance.oneOf(mutations)(result, chance);
  return result;
}

const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'PROPFIND'];

const headers: Readonly<Record<string, readonly string[]>> = {
  accept: ['text/event-stream', 'application/x-ndjson', 'text/html', 'application/json;q=0', '*/*', ',;q=x'],
  'content-type': ['text/plain', 'application/json; charset=utf-16', 'application/xml', 'multipart/form-data', '', ';'],
  'content-encoding': ['gzip', 'identity', 'x'],
  'if-match': ['"0"', '"7"', 'W/"1"', '*', '"-1"', '7', '"99999999999999999999"', '"x"', '"1", "2"'],
  'if-none-match': ['"0"', '*', 'x'],
  'idempotency-key': ['k', ' ', 'a'.repeat(300), 'k\u00e9', '"'],
  'last-event-id': ['0', '-1', 'x', '99999999999', '{}'],
  traceparent: ['00-x', `00-${'0'.repeat(32)}-${'0'.repeat(16)}-00`, `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`],
  'x-actor': ['someone', '', 'a'.repeat(300), '"}', '\u00ff'],
  'x-correlation-id': ['undertaking', '"', 'a'.repeat(300)],
  'x-request-id': ['one', '"', 'a'.repeat(300)],
  'x-openstack-request-id': ['req-1', `req-${'a'.repeat(36)}`, '"'],
  'x-auth-token': ['t', '', 'a.b.c', 'a'.repeat(5_000)],
  'x-subject-token': ['t', '', 'a.b.c'],
  authorization: ['Bearer', 'Bearer x', 'Basic eDp4', ''],
  'openstack-api-version': [
    'compute 2.94',
    'compute latest',
    'compute 3.0',
    'baremetal 1.1',
    'compute',
    ',',
    'compute 2.',
  ],
  'x-openstack-nova-api-version': ['2.1', 'latest', '2.0001', 'x', '9.9'],
  'x-openstack-ironic-api-version': ['1.1', 'latest', '1.999', 'x', '1.38'],
  'x-forwarded-proto': ['https', 'gopher', '"'],
  host: ['x', 'a b', '[::1]:1', 'evil.example:99999999', '"'],
};

const mutations: readonly Mutation[] = [
  inBody(valueReplaced),
  inBody(valueReplaced),
  inBody(valueReplaced),
  inBody(memberRemoved),
  inBody(memberRenamed),
  inBody(memberAdded),
  inBody((root, chance) => chance.oneOf([[root], { body: root }, nasty(chance)])),
  inText((text, chance) => text.slice(0, chance.below(text.length + 1))),
  inText((text, chance) => {
    const at = chance.below(text.length + 1);
    return text.slice(0, at) + chance.oneOf(['"', '{', ']', ',', '\u0000', '1', '\\u0000', '\\']) + text.slice(at);
  }),
  inText((text, chance) => {
    const bytes = Buffer.from(text);
    if (bytes.length > 0) bytes[chance.below(bytes.length)]! ^= 1 << chance.below(8);
    return bytes;
  }),
  (request, chance) => ({ ...request, method: chance.oneOf(methods) }),
  withHeader,
  withHeader,
  (request, chance) => ({ ...request, path: pathChanged(request.path, chance) }),
  (request, chance) => ({ ...request, path: queryAdded(request.path, chance) }),
  (request, chance) => ({ ...request, path: queryChanged(request.path, chance) }),
];

function withHeader(request: WireRequest, chance: Chance): WireRequest {
  const name = chance.oneOf(Object.keys(headers));
  return { ...request, headers: { ...request.headers, [name]: chance.oneOf(headers[name]!) } };
}

function pathChanged(path: string, chance: Chance): string {
  const [before, query] = split(path);
  const segments = before.split('/');
  const at = 1 + chance.below(segments.length);
  const change = chance.below(4);
  if (change === 0) segments.splice(at, 0, urlText(chance));
  if (change === 1) segments[at] = urlText(chance);
  if (change === 2) segments.splice(at, 1);
  if (change === 3) segments.push('');
  return (segments.join('/') || '/') + query;
}

const parameters = [
  ...['limit', 'marker', 'sort', 'sort_key', 'sort_dir', 'status', 'deleted', 'fields', 'name', 'id', 'at', 'order'],
  ...[
    'tags',
    'changes-since',
    'detail',
    'min_position',
    'after',
    'since',
    'depth',
    'owner',
    'associated',
    'x',
    '__proto__',
  ],
];

const queryAdded = (path: string, chance: Chance): string =>
  `${path}${path.includes('?') ? '&' : '?'}${chance.oneOf(parameters)}=${urlText(chance)}`;

function queryChanged(path: string, chance: Chance): string {
  const [before, query] = split(path);
  const parts = query.slice(1).split('&').filter(Boolean);
  if (parts.length === 0) return queryAdded(path, chance);
  const at = chance.below(parts.length);
  const [name] = parts[at]!.split('=');
  parts[at] = chance.oneOf([`${name}=${urlText(chance)}`, `${parts[at]}&${parts[at]}`, `${name}`, `${name}[]=1`]);
  return `${before}?${parts.join('&')}`;
}

function split(path: string): [string, string] {
  const at = path.indexOf('?');
  return at < 0 ? [path, ''] : [path.slice(0, at), path.slice(at)];
}

/** A body that is no JSON any more is left as it is. */
function inBody(change: (root: unknown, chance: Chance) => unknown): Mutation {
  return (request, chance) => {
    try {
      return { ...request, body: JSON.stringify(change(JSON.parse(String(request.body)), chance)) };
    } catch {
      return request;
    }
  };
}

function inText(change: (text: string, chance: Chance) => string | Buffer): Mutation {
  return (request, chance) =>
    request.body === null ? request : { ...request, body: change(String(request.body), chance) };
}

type Holder = Record<string, unknown> | unknown[];
interface Place {
  readonly holder: Holder;
  readonly key: string;
}

/** Every member of every object and list below the root. */
function placesIn(value: unknown): Place[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) => [{ holder: value as Holder, key }, ...placesIn(inner)]);
}

function atSomePlace(change: (place: Place, chance: Chance) => void) {
  return (root: unknown, chance: Chance): unknown => {
    const places = placesIn(root);
    if (places.length > 0) change(chance.oneOf(places), chance);
    return root;
  };
}

function valueReplaced(root: unknown, chance: Chance): unknown {
  return atSomePlace(({ holder, key }) => Object.assign(holder, { [key]: nasty(chance) }))(root, chance);
}

function memberRemoved(root: unknown, chance: Chance): unknown {
  return atSomePlace(({ holder, key }) => {
    if (Array.isArray(holder)) holder.splice(Number(key), 1);
    else delete holder[key];
  })(root, chance);
}

function memberRenamed(root: unknown, chance: Chance): unknown {
  return atSomePlace(({ holder, key }) => {
    if (Array.isArray(holder)) return;
    holder[chance.oneOf([key.toUpperCase(), `${key}s`, nastyText(chance)])] = holder[key];
    delete holder[key];
  })(root, chance);
}

function memberAdded(root: unknown, chance: Chance): unknown {
  return atSomePlace(({ holder }) => {
    if (Array.isArray(holder)) holder.push(nasty(chance));
    else holder[nastyText(chance)] = nasty(chance);
  })(root, chance);
}
