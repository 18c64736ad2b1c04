import type { Chance } from './chance.ts';
import { nasty, urlText, wellFormed } from './nasty.ts';
import { type WireRequest, wire } from './request.ts';

type Schema = Readonly<Record<string, unknown>>;

interface Parameter {
  readonly in: 'path' | 'query' | 'header';
  readonly name: string;
  readonly schema: Schema;
}

interface Body {
  readonly schema?: Schema;
  readonly examples?: Readonly<Record<string, { readonly value: unknown }>>;
}

interface Operation {
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly content: Readonly<Record<string, Body>> };
}

/** As much of an OpenAPI document as requests are made from. */
export interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}

/** Makes requests as the document says they may be. */
export function documented({ paths, components }: Document): (chance: Chance) => WireRequest {
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method: method.toUpperCase(), operation })),
  );
  const sample = sampler(components.schemas);

  return (chance) => {
    const { path, method, operation } = chance.oneOf(operations);
    const kind = /^\/v1(?:\/graph)?\/([a-z]+?)s?(\/|$)/.exec(path)?.[1] ?? '';
    const given = (where: Parameter['in']) =>
      (operation.parameters ?? []).filter((parameter) => parameter.in === where);
    const filled = path.replace(/\{\w+\}/g, () => encodeURIComponent(chance.idOf(kind)));
    const query = given('query')
      .filter(() => chance.happens(0.25))
      .map(({ name, schema }) => `${name}=${chance.happens(0.2) ? urlText(chance) : textOf(sample(schema, chance))}`);
    const headers = given('header')
      .filter(({ name }) => name !== 'if-match' && chance.happens(0.15))
      .map(({ name, schema }) => [name, latin(String(sample(schema, chance)))]);
    const url = query.length === 0 ? filled : `${filled}?${query.join('&')}`;

    const [type, body] = Object.entries(operation.requestBody?.content ?? {})[0] ?? [];
    if (!type || !body) return wire(method, url, undefined, Object.fromEntries(headers));
    const examples = Object.values(body.examples ?? {});
    const content =
      examples.length > 0 && chance.happens(0.6)
        ? withKnownIds(chance.oneOf(examples).value, chance)
        : sample(body.schema ?? {}, chance);
    return { ...wire(method, url, content), headers: { 'content-type': type, ...Object.fromEntries(headers) } };
  };
}

const textOf = (value: unknown): string =>
  encodeURIComponent(wellFormed(typeof value === 'object' ? JSON.stringify(value) : String(value)));

const latin = (text: string): string => text.replace(/[^\t\x20-\xff]/g, '?').slice(0, 300);

const uuids = /[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g;

/** An example names things that are not there; these mostly are. */
const withKnownIds = (value: unknown, chance: Chance): unknown =>
  JSON.parse(JSON.stringify(value).replace(uuids, () => chance.anyId()));

const words = [
  'compute-1',
  'compute-17',
  'web',
  'admin',
  'L2',
  'DHCP',
  'active',
  'error',
  'host/compute-1',
  'P1D',
  '1',
];

/** Makes values as a JSON schema has them; where the schema is not all, they are not always valid. */
function sampler(schemas: Readonly<Record<string, Schema>>) {
  function sample(schema: Schema, chance: Chance, depth = 0): unknown {
    if (typeof schema.$ref === 'string') return sample(schemas[schema.$ref.split('/').at(-1)!] ?? {}, chance, depth);
    const choices = (schema.oneOf ?? schema.anyOf) as Schema[] | undefined;
    if (choices) return sample(chance.oneOf(choices), chance, depth);
    if ('const' in schema) return schema.const;
    if (Array.isArray(schema.enum)) return chance.oneOf(schema.enum);
    if ('example' in schema && chance.happens(0.7)) return schema.example;
    const make = makers[String(schema.type)];
    return make ? make(schema, chance, depth) : nasty(chance);
  }

  const makers: Readonly<Record<string, (schema: Schema, chance: Chance, depth: number) => unknown>> = {
    object: ({ properties = {}, required = [] }, chance, depth) =>
      Object.fromEntries(
        Object.entries(properties as Record<string, Schema>)
          .filter(([name]) => (required as string[]).includes(name) || chance.happens(depth === 0 ? 0.9 : 0.4))
          .map(([name, inner]) => [name, sample(inner, chance, depth + 1)]),
      ),
    array: ({ items = {} }, chance, depth) =>
      Array.from({ length: chance.below(depth > 4 ? 1 : 3) }, () => sample(items as Schema, chance, depth + 1)),
    string: ({ pattern, format }, chance) => {
      if (String(pattern).includes('{12}')) return chance.anyId();
      if (format === 'date-time') return '2026-01-31T12:00:00.000Z';
      return chance.oneOf(words);
    },
    integer: ({ minimum = 0 }, chance) => Number(minimum) + chance.below(5),
    number: (_schema, chance) => chance.next() * 10,
    boolean: (_schema, chance) => chance.happens(0.5),
    null: () => null,
  };

  return sample;
}
