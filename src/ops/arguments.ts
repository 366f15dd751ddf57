import * as z from 'zod';
import { isRecord } from '../is-record.ts';
import type { Operation } from './operation.ts';
import { shorten } from './shorten.ts';

export type JsonSchema = z.core.JSONSchema.JSONSchema;

/** Arguments in the types that the schema names, before validation. */
export interface ReadArguments {
  readonly values: Readonly<Record<string, unknown>>;
  /** Paths of fields that the operation does not know; `values` does not have them. */
  readonly unknown: readonly string[];
}

const schemas = new WeakMap<z.ZodType, JsonSchema>();

/** Returns the JSON schema of an operation's input, without redundant keywords. Cached for each operation. */
export function inputSchema(operation: Pick<Operation, 'input'>): JsonSchema {
  let schema = schemas.get(operation.input);
  if (schema === undefined) {
    const { $schema: _, ...bare } = z.toJSONSchema(operation.input, {
      io: 'input',
      override: ({ jsonSchema }) => slim(jsonSchema),
    });
    schemas.set(operation.input, (schema = bare));
  }
  return schema;
}

/** The arguments that every writing operation takes beside its own (`extractCallOptions`). */
const callArguments = z.object({
  idempotency_key: z.string().min(1).max(256).optional().describe('Repeats run once'),
  dry_run: z.boolean().optional().describe('Only show the diff'),
  if_version: z.string().optional().describe('Version of the vault that the call is based on; refused where there is another one'),
});

export type CallArgument = keyof z.output<typeof callArguments>;

/** Returns the schema of an operation's arguments, with those of these that it takes beside them. */
export function callSchema(operation: Operation, wanted: readonly CallArgument[]): JsonSchema {
  const schema = inputSchema(operation);
  if (operation.effect === 'read') return schema;
  const { properties: own = {} } = schema;
  // In the envelope of the knowledge graph, a dry run is an argument of the operations that have one.
  const taken = wanted.filter((name) => !(name === 'dry_run' && operation.envelope !== undefined) && !Object.hasOwn(own, name));
  const { properties: all = {} } = inputSchema({ input: callArguments });
  return { ...schema, properties: { ...own, ...Object.fromEntries(taken.map((name) => [name, all[name] ?? {}])) } };
}

function slim(schema: z.core.JSONSchema.BaseSchema): void {
  // Unknown fields lead to a warning, not an error, so they are not advertised as forbidden. The bounds of a double carry no information.
  if (schema.additionalProperties === false) delete schema.additionalProperties;
  if (schema.maximum === Number.MAX_SAFE_INTEGER) delete schema.maximum;
  if (schema.minimum === Number.MIN_SAFE_INTEGER) delete schema.minimum;
  if (isRecord(schema.propertyNames) && Object.keys(schema.propertyNames).join() === 'type') delete schema.propertyNames;
}

const SOURCES = ['source', 'from', 'from_node_id'];
const TARGETS = ['target', 'to', 'to_node_id'];

/**
 * The names that toolsets have for one thing. A tool that has one of them also takes the others, which its schema does not list: whoever
 * knows one tool can call the next (A-17).
 */
const SAME_ARGUMENTS: readonly (readonly string[])[] = [
  ['id', 'node_id', 'node'],
  ['ids', 'node_ids'],
  SOURCES,
  TARGETS,
  ['type', 'node_type'],
  ['type', 'connection_type'],
  ['type', 'type_name'],
  ['limit', 'count'],
  // As answers call what a condition compares with.
  ['if_match', 'etag'],
  ['expected_rev', 'rev'],
];

/**
 * Converts arguments as clients send them: arrays and objects as JSON strings, numbers and booleans as strings, arguments under the name
 * that another tool has for them. Values that do not match are passed on unchanged for validation to refuse.
 */
export function readArguments(
  { accept, envelope, ...operation }: Pick<Operation, 'input' | 'accept' | 'envelope'>,
  raw: Readonly<Record<string, unknown>>,
): ReadArguments {
  const schema = inputSchema(operation);
  const reader: Reader = { unknown: [], takesOtherNames: envelope === undefined };
  const given = reader.takesOtherNames ? rename(schema.properties, raw) : raw;
  const meant = accept === undefined ? given : accept(parseStrings(schema, given));
  const values = read(schema, meant, '', reader);
  return { values: isRecord(values) ? values : {}, unknown: reader.unknown };
}

interface Reader {
  /** Collects the paths of unknown fields. */
  readonly unknown: string[];
  /** The document of the knowledge graph has every other name refused. */
  readonly takesOtherNames: boolean;
}

/** Parses lists and maps that came as JSON text, so that `accept` sees their contents. */
function parseStrings(schema: JsonSchema, raw: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const parsed = Object.entries(raw).map(([key, value]) => {
    const property = schema.properties?.[key];
    const isText = typeof value === 'string' && isRecord(property);
    if (!isText) return [key, value] as const;
    const types = listTypes(property as JsonSchema);
    return [key, types.size === 0 || types.has('string') ? value : fromString(value, types)] as const;
  });
  return Object.fromEntries(parsed);
}

/** Gives arguments the names that a schema has for them. */
function rename(properties: object | undefined, raw: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const names = new Map<string, string>();
  for (const group of SAME_ARGUMENTS) {
    const [known, ...others] = group.filter((name) => has(properties, name));
    if (known === undefined || others.length > 0 || has(raw, known)) continue;
    // Without a target, a source is where a text comes from, not the beginning of anything.
    if (group === SOURCES && !TARGETS.some((name) => has(properties, name))) continue;
    const other = group.find((name) => has(raw, name));
    if (other !== undefined) names.set(other, known);
  }
  return names.size === 0 ? raw : Object.fromEntries(Object.entries(raw).map(([key, value]) => [names.get(key) ?? key, value]));
}

function read(schema: JsonSchema, value: unknown, path: string, reader: Reader): unknown {
  const types = listTypes(schema);
  const coerced = typeof value === 'string' && types.size > 0 && !types.has('string') ? fromString(value, types) : value;
  if (Array.isArray(coerced)) {
    const element = pick(schema, 'array')?.items;
    if (!isRecord(element)) return coerced;
    return coerced.map((each: unknown, index) => read(element as JsonSchema, each, `${path}[${index}]`, reader));
  }
  const shape = isRecord(coerced) ? pick(schema, 'object') : undefined;
  if (!isRecord(coerced) || shape?.properties === undefined) return coerced;
  const { properties } = shape;
  const isOpen = shape.additionalProperties !== undefined;
  const values: Record<string, unknown> = {};
  for (const [key, each] of Object.entries(reader.takesOtherNames ? rename(properties, coerced) : coerced)) {
    const field = path === '' ? key : `${path}.${key}`;
    const property = Object.hasOwn(properties, key) ? properties[key] : undefined;
    if (isRecord(property)) values[key] = read(property as JsonSchema, each, field, reader);
    else if (isOpen) values[key] = each;
    else reader.unknown.push(field);
  }
  return values;
}

function fromString(text: string, types: ReadonlySet<string>): unknown {
  const trimmed = text.trim();
  if ((types.has('number') || types.has('integer')) && /^[+-]?(\d+(\.\d*)?|\.\d+)(e[+-]?\d+)?$/i.test(trimmed)) return Number(trimmed);
  if (types.has('boolean') && (trimmed === 'true' || trimmed === 'false')) return trimmed === 'true';
  if ((types.has('array') && trimmed.startsWith('[')) || (types.has('object') && trimmed.startsWith('{'))) {
    try {
      return JSON.parse(trimmed) as unknown;
    } catch {
      // Not JSON: validation says what was expected.
      return text;
    }
  }
  return text;
}

/** Lists the types that a schema accepts; empty when it accepts anything. */
function listTypes(schema: JsonSchema): Set<string> {
  const branches = schema.anyOf ?? schema.oneOf;
  if (branches !== undefined) {
    const lists = branches.map((branch) => (isRecord(branch) ? listTypes(branch as JsonSchema) : new Set<string>()));
    return lists.some((list) => list.size === 0) ? new Set() : new Set(lists.flatMap((list) => [...list]));
  }
  const type: unknown = schema.type ?? (schema.enum === undefined && schema.const === undefined ? undefined : 'string');
  return new Set(Array.isArray(type) ? type.map(String) : typeof type === 'string' ? [type] : []);
}

/** Returns the branch of a schema that describes arrays or objects, or undefined when there is none or more than one. */
function pick(schema: JsonSchema, type: 'array' | 'object'): JsonSchema | undefined {
  if (schema.type === type) return schema;
  const branches = (schema.anyOf ?? schema.oneOf ?? []).filter(isRecord) as JsonSchema[];
  const fitting = branches.filter((branch) => branch.type === type);
  // Several shapes of one kind: which one is meant is the check's to find out.
  return fitting.length === 1 ? fitting[0] : undefined;
}

function has(record: object | undefined, key: string): boolean {
  return record !== undefined && Object.hasOwn(record, key);
}

/** How the words for a field end that is missing. */
export const IS_REQUIRED = ' is required';

/** Describes one invalid field: its path, what it must be, what it is. */
export function describeIssue(issue: z.core.$ZodIssue, values: unknown): string {
  const path = issue.path.reduce<string>(
    (text, part) => (typeof part === 'number' ? `${text}[${part}]` : text === '' ? String(part) : `${text}.${String(part)}`),
    '',
  );
  const field = path === '' ? 'arguments' : path;
  const found: unknown = issue.path.reduce<unknown>(
    (value, part) => (typeof value === 'object' && value !== null ? (value as Record<PropertyKey, unknown>)[part] : undefined),
    values,
  );
  if (found === undefined && issue.code !== 'custom' && issue.code !== 'unrecognized_keys') return field + IS_REQUIRED;
  switch (issue.code) {
    case 'invalid_type':
      return `${field} must be ${article(issue.expected === 'int' ? 'integer' : issue.expected)}, got ${show(found)}`;
    case 'too_big':
      return `${field} must ${limit(issue.origin, 'at most', Number(issue.maximum))}, got ${size(found)}`;
    case 'too_small':
      return `${field} must ${limit(issue.origin, 'at least', Number(issue.minimum))}, got ${size(found)}`;
    case 'invalid_value':
      return `${field} must be one of ${issue.values.map((value) => JSON.stringify(value)).join(', ')}, got ${show(found)}`;
    case 'unrecognized_keys':
      return `unknown field ${issue.keys.map((key) => (path === '' ? key : `${path}.${key}`)).join(', ')}`;
    case 'invalid_key':
      return `${field === '' ? 'arguments' : field.replace(/\.$/, '')}: a name must not be empty`;
    case 'custom':
      return path === '' ? issue.message : `${field}: ${issue.message}`;
    default:
      return `${field}: ${issue.message}`;
  }
}

function limit(origin: string, word: string, bound: number): string {
  if (origin === 'string') return `have ${word} ${bound} characters`;
  if (origin === 'array' || origin === 'set') return `have ${word} ${bound} ${bound === 1 ? 'element' : 'elements'}`;
  return `be ${word} ${bound}`;
}

function size(value: unknown): string {
  if (typeof value === 'string' || Array.isArray(value)) return String(value.length);
  return show(value);
}

function article(type: string): string {
  return `${/^[aeiou]/.test(type) ? 'an' : 'a'} ${type}`;
}

function show(value: unknown): string {
  return shorten(JSON.stringify(value) ?? String(value), 60);
}
