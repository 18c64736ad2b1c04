import swagger from '@fastify/swagger';
import type { FastifyInstance, FastifySchema } from 'fastify';
import { z } from 'zod';
import { undocumented } from './openapi-routes.ts';

type JsonSchema = Record<string, unknown>;

const componentPath = '#/components/schemas/';

/** Collects the schemas that have a name, for the others to refer to. */
class Components {
  readonly schemas: Record<string, JsonSchema> = {};

  /** A zod schema as JSON Schema, which is what OpenAPI 3.1 speaks. */
  describe(schema: z.ZodType, io: 'input' | 'output'): JsonSchema {
    const described = z.toJSONSchema(schema, { io, unrepresentable: 'any', cycles: 'ref', reused: 'inline' });
    const text = JSON.stringify(described).replaceAll('"#/$defs/', `"${componentPath}`);
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
    text ??= JSON.stringify(app.swagger());
    return reply.type('application/json').send(text);
  });
}
