import { isRecord } from '../../../is-record.ts';
import { callSchema, inputSchema } from '../../../ops/arguments.ts';
import type { CallArgument, JsonSchema } from '../../../ops/arguments.ts';
import type { Operation } from '../../../ops/operation.ts';

/** Keywords that are validated and explained by error messages, but do not help a model to write a call. */
const HIDDEN_KEYWORDS: ReadonlySet<string> = new Set([
  'minimum',
  'minLength',
  'maxLength',
  'minItems',
  'additionalProperties',
  'propertyNames',
  'pattern',
  'unlisted',
]);
/** Documented arguments that a model rarely needs, or that an error or a warning names when it does. */
const HIDDEN_ARGUMENTS: ReadonlySet<string> = new Set([
  'aliases',
  'decision_context',
  'explain',
  'merge',
  'min_confidence',
  'on_multiple',
  'rebuild',
]);
/** Longer enumerations are left to the error that lists the values. */
const MAX_LISTED_VALUES = 12;
/** A maximum of this size or more only rejects absurd numbers. */
const MIN_TRIVIAL_MAXIMUM = 10_000;

/** A tool as `tools/list` describes it. */
export interface Tool {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly inputSchema: { readonly type: 'object'; readonly properties?: Readonly<Record<string, unknown>> };
  /** Describes `structuredContent`; listed only with the setting `structured`. */
  readonly outputSchema?: { readonly type: 'object' };
  /** Those of writes say nothing of a tool that only reads. */
  readonly annotations: {
    readonly readOnlyHint: boolean;
    readonly destructiveHint?: boolean;
    readonly idempotentHint?: boolean;
    readonly openWorldHint: false;
  };
}

/**
 * Converts an operation to a tool. If the server is `isReadOnly`, tools that could write with some option refuse that option, so that all
 * tools only read.
 */
export function toTool(operation: Operation, { isReadOnly = false }: { readonly isReadOnly?: boolean } = {}): Tool {
  const isRead = isReadOnly || (operation.effect === 'read' && operation.writesByOption !== true);
  return {
    name: operation.name,
    title: operation.title,
    description: operation.summary,
    inputSchema: { ...advertise(isReadOnly ? inputSchema(operation) : callSchema(operation, listedArguments(operation))), type: 'object' },
    annotations: {
      readOnlyHint: isRead,
      ...(isRead
        ? {}
        : {
            destructiveHint: operation.effect === 'destroy' || operation.overwrites === true,
            idempotentHint: operation.isIdempotent,
          }),
      openWorldHint: false,
    },
  };
}

/** Tools that would do something twice. A repeat of the others finds nothing left to do, or is refused. */
const REPEATABLE: ReadonlySet<string> = new Set(['create_node', 'update_node', 'graph_plan', 'graph_next', 'graph_update']);
/** Tools that make, or mark, one note and change no other. */
const MODEST: ReadonlySet<string> = new Set(['create_node', 'ensure_singleton_node', 'confirm']);

/**
 * Every write takes these, as the instructions say; they are listed where they matter most, since each costs every client some characters.
 */
function listedArguments({ name, isIdempotent, toolset }: Operation): readonly CallArgument[] {
  const isRepeatable = toolset === 'vault' || toolset === 'tasks' ? REPEATABLE.has(name) : !isIdempotent;
  return [
    ...(isRepeatable ? (['idempotency_key'] as const) : []),
    ...(toolset === 'vault' && !MODEST.has(name) ? (['dry_run'] as const) : []),
  ];
}

/** Reduces a schema to what helps a model to write a call, since clients send it to the model again and again. */
function advertise(schema: JsonSchema): Record<string, unknown> {
  const listed: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(schema)) {
    if (key === 'properties' && isRecord(value)) listed[key] = advertiseAll(value);
    else if ((key === 'anyOf' || key === 'oneOf') && Array.isArray(value))
      listed[key] = value.map((each: unknown) => (isRecord(each) ? advertise(each) : each));
    else if (key === 'items' && isRecord(value)) listed[key] = advertise(value);
    else if (key === 'enum' && Array.isArray(value) && Array.isArray(schema['unlisted']))
      listed[key] = value.filter((each) => !(schema['unlisted'] as readonly unknown[]).includes(each));
    // An enumeration implies its type.
    else if (!isHidden(key, value) && !(key === 'type' && isListedEnum(schema.enum))) listed[key] = value;
  }
  return listed;
}

function advertiseAll(properties: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(properties).flatMap(([name, property]) =>
      isRecord(property) && property['unlisted'] !== true && !HIDDEN_ARGUMENTS.has(name) ? [[name, advertise(property)]] : [],
    ),
  );
}

function isListedEnum(values: unknown): boolean {
  return Array.isArray(values) && values.length <= MAX_LISTED_VALUES;
}

function isHidden(key: string, value: unknown): boolean {
  if (key === 'enum') return !isListedEnum(value);
  if (key === 'maximum' || key === 'maxItems') return typeof value === 'number' && value >= MIN_TRIVIAL_MAXIMUM;
  // Defaults that everybody expects (false, zero, empty) say nothing.
  if (key === 'default') return value === false || value === '' || value === 0 || (Array.isArray(value) && value.length === 0);
  return HIDDEN_KEYWORDS.has(key);
}
