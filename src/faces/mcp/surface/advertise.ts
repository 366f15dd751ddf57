import { isRecord } from '../../../is-record.ts';
import type { JsonSchema } from '../../../ops/arguments.ts';

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

/** Reduces a schema to what helps a model to write a call, since clients send it to the model again and again. */
export function advertise(schema: JsonSchema): Record<string, unknown> {
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
