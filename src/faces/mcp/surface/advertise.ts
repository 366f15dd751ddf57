import { isRecord } from '../../../is-record.ts';
import type { JsonSchema } from '../../../ops/arguments.ts';

/** Bounds of texts and sizes of lists are checked and answered in words; a model has no use for them. */
const UNSAID: ReadonlySet<string> = new Set([
  'minimum',
  'minLength',
  'maxLength',
  'minItems',
  'maxItems',
  'additionalProperties',
  'propertyNames',
  'pattern',
]);
/** Arguments that are taken and documented, but that a model rarely needs: an error names `merge` where it is. */
const UNLISTED: ReadonlySet<string> = new Set(['decision_context', 'resolved_reason', 'merge']);
/** From here on a bound only keeps numbers sane. */
const HUGE = 10_000;

/** A schema as clients read it again and again: only what helps a model to write a call. */
export function advertise(schema: JsonSchema): Record<string, unknown> {
  const listed: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(schema)) {
    if (key === 'properties' && isRecord(value)) listed[key] = advertiseAll(value);
    else if ((key === 'anyOf' || key === 'oneOf') && Array.isArray(value))
      listed[key] = value.map((each: unknown) => (isRecord(each) ? advertise(each) : each));
    else if (key === 'items' && isRecord(value)) listed[key] = advertise(value);
    // The values of an enumeration say their type.
    else if (!isUnsaid(key, value) && !(key === 'type' && 'enum' in schema)) listed[key] = value;
  }
  return listed;
}

function advertiseAll(properties: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(properties).flatMap(([name, property]) =>
      isRecord(property) && !UNLISTED.has(name) && property['unlisted'] !== true ? [[name, advertise(property)]] : [],
    ),
  );
}

function isUnsaid(key: string, value: unknown): boolean {
  if (key === 'maximum') return typeof value === 'number' && value >= HUGE;
  // An absent flag, list or text is what everybody expects an empty one to be, and how many there are without a number the answer shows.
  if (key === 'default')
    return value === false || value === '' || typeof value === 'number' || (Array.isArray(value) && value.length === 0);
  return UNSAID.has(key);
}
