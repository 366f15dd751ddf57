import * as z from 'zod';
import { callSchema } from '../../../ops/arguments.ts';
import type { Operation } from '../../../ops/operation.ts';
import { isSafe } from './operations.ts';

type Json = Readonly<Record<string, unknown>>;

/** The schemas that all answers share. */
const SCHEMAS: Json = {
  Warnings: {
    type: 'array',
    items: { type: 'string' },
    description: 'What is to be known about the call as a whole; absent when there is nothing.',
  },
  Error: {
    type: 'object',
    required: ['error'],
    properties: {
      error: {
        type: 'object',
        required: ['code', 'message'],
        properties: {
          code: { type: 'string', description: 'Fixed words, for programs.' },
          message: { type: 'string', description: 'What failed and what to do, for people.' },
          details: { type: 'object', additionalProperties: true },
          retryable: { type: 'boolean', description: 'The same call may succeed later without being changed.' },
        },
      },
    },
  },
};

const ERRORS: readonly (readonly [string, string])[] = [
  ['400', 'The request does not fit.'],
  ['401', 'No token, or a wrong one.'],
  ['403', 'The token may not do this, or the server only reads.'],
  ['404', 'There is no such note, task, entity or operation.'],
  ['409', 'It changed meanwhile, exists already, or the name means several.'],
  ['413', 'Too large.'],
  ['422', 'It cannot be done to what is there.'],
  ['429', 'Too many requests; come again after `Retry-After` seconds.'],
  ['500', 'A fault of the program or the system.'],
  ['503', 'Not at this moment; come again after `Retry-After` seconds.'],
];

const ERROR_RESPONSES: Json = Object.fromEntries(
  ERRORS.map(([status, description]) => [
    status,
    { description, content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } } },
  ]),
);

/** Describes the operations at `/api` as an OpenAPI 3.1 document, from the schemas that validate their arguments (V-05). */
export function describeApi(operations: readonly Operation[], { url, version }: { readonly url: string; readonly version: string }): Json {
  return {
    openapi: '3.1.1',
    info: {
      title: 'roux',
      version,
      summary: 'The operations on one vault.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: `${url}/api` }],
    security: [{ token: [] }],
    tags: [...new Set(operations.map(tagOf))].map((name) => ({ name })),
    paths: Object.fromEntries(operations.map((operation) => [`/${operation.name}`, pathOf(operation)])),
    components: { schemas: SCHEMAS, securitySchemes: { token: { type: 'http', scheme: 'bearer' } } },
  };
}

function tagOf({ toolset }: Operation): string {
  return toolset ?? 'page';
}

function pathOf(operation: Operation): Json {
  const input = schemaOf(operation);
  const common = { summary: operation.title, description: operation.summary, tags: [tagOf(operation)] };
  const responses = {
    '200': okOf(operation),
    ...(operation.envelope === 'ACCEPTED' ? { '202': okOf(operation) } : {}),
    ...ERROR_RESPONSES,
  };
  const post = {
    ...common,
    operationId: operation.name,
    requestBody: { required: isRequired(input), content: { 'application/json': { schema: input } } },
    responses,
  };
  if (!isSafe(operation)) return { post };
  return { get: { ...common, operationId: `${operation.name}_get`, parameters: parametersOf(input), responses }, post };
}

function schemaOf(operation: Operation): Json {
  return callSchema(operation, ['idempotency_key', 'dry_run', 'if_version']) as Json;
}

function isRequired({ required }: Json): boolean {
  return Array.isArray(required) && required.length > 0;
}

function parametersOf({ properties = {}, required = [] }: Json): readonly Json[] {
  return Object.entries(properties as Json).map(([name, schema]) => {
    const { description, ...rest } = schema as { readonly description?: string };
    return {
      name,
      in: 'query',
      required: (required as readonly string[]).includes(name),
      ...(description === undefined ? {} : { description }),
      schema: rest,
    };
  });
}

function okOf({ envelope, parts = {} }: Operation): Json {
  const result = envelope === undefined ? {} : { type: 'object', required: ['request_id', 'status'], additionalProperties: true };
  const beside = Object.fromEntries(Object.entries(parts).map(([name, part]) => [name, bareSchema(part)]));
  return {
    description: 'What the operation answers.',
    content: {
      'application/json': {
        schema: {
          type: 'object',
          required: ['result'],
          properties: { result, ...beside, warnings: { $ref: '#/components/schemas/Warnings' } },
        },
      },
    },
  };
}

function bareSchema(type: z.ZodType): Json {
  const { $schema: _, ...bare } = z.toJSONSchema(type);
  return bare;
}
