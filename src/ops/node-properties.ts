import { isRecord } from '../config.ts';
import type { Properties, PropertyValue } from '../note/note.ts';

/** Frontmatter keys with a meaning of their own (docs/format.md); all others are a note's properties. */
const RESERVED: ReadonlySet<string> = new Set(
  (
    'id type title aliases tags rev resolved state summary parent depends_on properties context_links evidence ' +
    'created_at updated_at created_by created updated modified format encoding ' +
    'group_id source source_description reference_time ingest'
  ).split(' '),
);

/** The properties of a note: its own top-level keys, and the `properties` map over them. */
export function listProperties(data: Properties): Properties {
  const map = data['properties'];
  const own = Object.entries(data).filter(([key]) => !RESERVED.has(key));
  return Object.fromEntries([...own, ...(isRecord(map) ? Object.entries(map) : [])]) as Properties;
}

/** Where a property stands or would go: at the top level when it is there, or when roux reads it there, else in the `properties` map. */
export function propertyKey(data: Properties, name: string): readonly string[] {
  if (isReadOnTop(data, name)) return [name];
  if (isInMap(data, name)) return ['properties', name];
  return Object.hasOwn(data, name) && !RESERVED.has(name) ? [name] : ['properties', name];
}

/** Whether the `properties` map holds this name. */
export function isInMap(data: Properties, name: string): boolean {
  const map = data['properties'];
  return isRecord(map) && Object.hasOwn(map, name);
}

/** Whether the readiness of tasks looks at this key: written into the map it would mean nothing. */
function isReadOnTop({ type, resolved }: Properties, name: string): boolean {
  return name === 'blocked' && (type === 'task' || type === 'project' || resolved !== undefined);
}

/** The first of these keys that holds a time, as ISO 8601 UTC with milliseconds, or null. */
export function readTime(data: Properties, keys: readonly string[]): string | null {
  for (const key of keys) {
    const value: PropertyValue | undefined = data[key];
    const time = typeof value === 'string' ? Date.parse(value) : Number.NaN;
    if (!Number.isNaN(time)) return new Date(time).toISOString();
  }
  return null;
}

/** The keys that say when a note was made, in the order they are believed. */
export const CREATED_KEYS: readonly string[] = ['created_at', 'created'];
export const UPDATED_KEYS: readonly string[] = ['updated_at', 'updated', 'modified'];
