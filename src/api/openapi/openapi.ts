import swagger from '@fastify/swagger';
import type { FastifyInstance, FastifySchema } from 'fastify';
import { z } from 'zod';
import { undocumented } from './openapi-routes.ts';

type JsonSchema = Record<string, unknown>;

const componentPath = '#/components/schemas/';

/** Collects the schemas that have a name, or that refer to themselves, for the others to refer to. */
class Components {
  readonly schemas: Record<string, JsonSchema> = {};
  /** Names given here to schemas without one, by what they say. */
  readonly #given = new Map<string, string>();

  /** A zod schema as JSON Schema, which is what OpenAPI 3.1 speaks. */
  describe(schema: z.ZodType, io: 'input' | 'output'): JsonSchema {
    const described = z.toJSONSchema(schema, { io, unrepresentable: 'any', cycles: 'ref', reused: 'inline' });
    let text = JSON.stringify(described).replaceAll('"#/$defs/', `"${componentPath}`);
    for (const [name, definition] of Object.entries(described.$defs ?? {})) {
      // As a key of $defs, and at the end of a reference.
      if (name.startsWith('__'))
        text = text.replaceAll(new RegExp(`(?<=["/])${name}"`, 'g'), `${this.#nameFor(definition)}"`);
    }
    const {
      $schema,
      $defs = {},
      id,
      ...rest
    } = JSON.parse(text) as JsonSchema & { $defs?: Record<string, JsonSchema> };
    for (const [name, { id: _, ...definition }] of Object.entries($defs)) this.schemas[name] = definition;
    if (typeof id !== 'string') return rest;
    this.schemas[id] = rest;
    return { $ref: `${componentPath}${id}` };
  }

  #nameFor(definition: object): string {
    const text = JSON.stringify(definition);
    const name = this.#given.get(text) ?? `Shared${this.#given.size + 1}`;
    this.#given.set(text, name);
    return name;
  }
}

const parts = ['body', 'querystring', 'params', 'headers'] as const;

function describeRoute(components: Components, schema: FastifySchema) {
  const { response = {}, 'x-body': documentedBody, 'x-examples': examples, ...rest } = schema;
  const described: Record<string, unknown> = { ...rest };
  for (const part of parts) {
    if (schema[part]) described[part] = components.describe(schema[part] as z.ZodType, 'input');
  }
  if (documentedBody) described.body = components.describe(documentedBody, 'input');
  if (examples) described.body = { ...(described.body as JsonSchema), 'x-examples': examples };
  described.response = Object.fromEntries(
    Object.entries(response as Record<string, DocumentedResponse>).map(([status, { description, content }]) => [
      status,
      {
        description,
        content: mapValues(content, (media) => ({ schema: components.describe(media.schema, 'output') })),
      },
    ]),
  );
  return described;
}

interface DocumentedResponse {
  readonly description: string;
  readonly content: Record<string, { readonly schema: z.ZodType }>;
}

const mapValues = <V, W>(record: Record<string, V>, map: (value: V) => W): Record<string, W> =>
  Object.fromEntries(Object.entries(record).map(([key, value]) => [key, map(value)]));

/** `GET /openapi.json`, made from the schemas that check the requests. Registers before the routes it describes. */
export async function openApiRoute(app: FastifyInstance, version: string): Promise<void> {
  const components = new Components();
  await app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'Stackledger',
        version,
        description:
          'Decides, records and explains the status of cloud resources: ports, servers and bare-metal nodes.',
      },
      components: { securitySchemes: { bearer: { type: 'http', scheme: 'bearer' } } },
      security: [{ bearer: [] }, {}],
    },
    transform: ({ schema, url }) => ({
      schema: (schema?.hide ? schema : describeRoute(components, schema ?? {})) as FastifySchema,
      url,
    }),
    transformObject: (document) => {
      const { openapiObject } = document as { openapiObject: { components?: object } };
      return { ...openapiObject, components: { ...openapiObject.components, schemas: components.schemas } };
    },
  });

  let text: string | undefined;
  app.get('/openapi.json', { schema: undocumented, config: { needs: null } }, async (_request, reply) => {
    text ??= withPlainNames(JSON.stringify(app.swagger()));
    return reply.type('application/json').send(text);
  });
}

/** Commands go by their own names; where two kinds have one of the same name, the kind goes before it. */
function withPlainNames(text: string): string {
  const definitions = [...text.matchAll(/"[a-z]+\.(\w+)":\{/g)].map(([, type]) => type!);
  const isShared = (type: string): boolean => definitions.indexOf(type) !== definitions.lastIndexOf(type);
  return text.replace(/(?<=["/])([a-z]+)\.(\w+)"/g, (_whole, kind: string, type: string) =>
    isShared(type) ? `${kind[0]!.toUpperCase()}${kind.slice(1)}${type}"` : `${type}"`,
  );
}
