import type { Direction } from '../graph/view.ts';
import { isRecord } from '../is-record.ts';
import { hasTaskKeys, isReservedKey, isReservedTaskKey } from '../note/frontmatter/reserved-keys.ts';
import type { Properties, PropertyValue } from '../note/note.ts';

/** The properties of a note: its own top-level keys, and the `properties` map over them. */
export function listProperties(data: Properties): Properties {
  const map = data['properties'];
  const own = Object.entries(data).filter(([key]) => isOwnKey(data, key));
  return Object.fromEntries([...own, ...(isRecord(map) ? Object.entries(map) : [])]) as Properties;
}

/**
 * Where a property stands or would go (E-28). A new one goes to the top level in notes that people write, where Obsidian shows it, and
 * where roux reads it there; into the `properties` map in nodes of the task, memory and ontology tools (`ofTools`) and where there is one.
 */
export function propertyKey(data: Properties, name: string, { ofTools }: { readonly ofTools: boolean }): readonly string[] {
  if (isReadOnTop(data, name)) return [name];
  if (isInMap(data, name)) return ['properties', name];
  if (Object.hasOwn(data, name) && isOwnKey(data, name)) return [name];
  return ofTools || isRecord(data['properties']) ? ['properties', name] : [name];
}

/** Whether the `properties` map holds this name. */
export function isInMap(data: Properties, name: string): boolean {
  const map = data['properties'];
  return isRecord(map) && Object.hasOwn(map, name);
}

/** Whether a key is a property of the note, and no field of its own: why a task is blocked is told among its properties. */
function isOwnKey(data: Properties, key: string): boolean {
  return key === 'blocked' || !(hasTaskKeys(data) ? isReservedTaskKey(key) : isReservedKey(key));
}

/** Whether the readiness of tasks looks at this key: written into the map it would mean nothing. */
function isReadOnTop(data: Properties, name: string): boolean {
  return name === 'blocked' && hasTaskKeys(data);
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

/** What is special about a note in a list. */
export interface Special {
  /** Which way the link goes. */
  readonly direction?: Direction;
  /** How well it fits, 0 to 1. */
  readonly score?: number;
  /** The section that is near in meaning, as `get_node` takes it. */
  readonly section?: string;
}

/** That alone, as far as there is any. */
export function specialOf({ direction, score, section }: Special): Special {
  return {
    ...(direction === undefined ? {} : { direction }),
    ...(score === undefined ? {} : { score: Math.round(score * 1000) / 1000 }),
    ...(section === undefined ? {} : { section }),
  };
}
