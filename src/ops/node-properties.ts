import type { Config } from '../config.ts';
import { projectOf } from '../graph/tasks/task-note.ts';
import { isRecord } from '../is-record.ts';
import { isPropertyList, nameOf, revOf, typeNameOf } from '../note/frontmatter/property-value.ts';
import { CREATED_KEYS, hasTaskKeys, isTaskKey, UPDATED_KEYS } from '../note/frontmatter/reserved-keys.ts';
import type { Properties, PropertyValue } from '../note/note.ts';
import { hasOwnRev } from '../note/stamps.ts';
import type { OperationContext } from './operation.ts';
import type { FoundNote } from './reference.ts';
import type { NoteOnDisk } from '../vault/sync/read-note-now.ts';

/** Maximum characters of one key of a task in an answer; `graph_context` shows longer ones in pages. */
const MAX_TASK_VALUE_CHARACTERS = 1_000;

/** Checks whether a note is a task or the root of a project: only notes below the projects root are. */
export function isTaskNote(
  { config }: { readonly config: Pick<Config, 'tasks'> },
  { path, properties }: { readonly path: string; readonly properties: Properties },
): boolean {
  return hasTaskKeys(properties) && projectOf(path, config.tasks.root) !== null;
}

/** What an answer shows of a note's frontmatter besides the fields that every note has. */
export interface ShownFrontmatter {
  /** The top-level keys, overridden by the `properties` map. */
  readonly properties: Properties;
  /** Top-level keys that are hidden by a key of the `properties` map. */
  readonly shadowed: Properties;
  /** The keys of a task that only the task tools change. */
  readonly task: Properties;
}

/** Splits the frontmatter of a note into the parts that an answer shows. Omits a key only when another field of the answer has its value. */
export function showFrontmatter(data: Properties, isTask: boolean): ShownFrontmatter {
  const map = data['properties'];
  const inner = isRecord(map) ? (map as Properties) : {};
  const own: Record<string, PropertyValue> = {};
  const shadowed: Record<string, PropertyValue> = {};
  const task: Record<string, PropertyValue> = {};
  for (const [key, value] of Object.entries(data)) {
    if (isTask && isTaskKey(key)) task[key] = value;
    else if (isShownAsField(data, key)) continue;
    else (Object.hasOwn(inner, key) ? shadowed : own)[key] = value;
  }
  return { properties: { ...own, ...inner }, shadowed, task };
}

/** Returns the properties of a note as answers show them. */
export function listProperties(data: Properties, isTask: boolean): Properties {
  return showFrontmatter(data, isTask).properties;
}

/** Checks whether a field of the answer has the whole value of this key: `title`, `tags`, `rev` and others, when their values are valid. */
export function isShownAsField(data: Properties, key: string): boolean {
  const value = data[key];
  switch (key) {
    case 'id':
    case 'title':
      return nameOf(value) !== null;
    case 'type':
      return typeof value === 'string' && typeNameOf(value) !== null;
    case 'tags':
    case 'aliases':
      return isPropertyList(value) ? value.every((each) => nameOf(each) !== null) : value === null || nameOf(value) !== null;
    case 'rev':
      return revOf(data) !== null;
    case 'created_by':
    case 'format':
    case 'encoding':
      return typeof value === 'string';
    case 'properties':
      return isRecord(value);
    default:
      return isTimeField(data, key, CREATED_KEYS) || isTimeField(data, key, UPDATED_KEYS);
  }
}

/** Checks whether `created` or `updated` of an answer is exactly the value of this key. */
function isTimeField(data: Properties, key: string, keys: readonly string[]): boolean {
  return keys.includes(key) && data[key] === readTime(data, keys) && keys.find((each) => readTime(data, [each]) !== null) === key;
}

/**
 * Returns the key path of a property, existing or new (E-28). A new one goes to the top level, where Obsidian shows it, but into the
 * `properties` map in nodes of the task, memory and ontology tools (`isToolNode`) and in notes that have such a map.
 */
export function resolvePropertyKey(
  data: Properties,
  name: string,
  { isToolNode, isTask }: { readonly isToolNode: boolean; readonly isTask: boolean },
): readonly string[] {
  // Only `blocked` at the top level decides whether a task is ready.
  if (isTask && name === 'blocked') return [name];
  if (isInMap(data, name)) return ['properties', name];
  if (Object.hasOwn(listProperties(data, isTask), name)) return [name];
  return isToolNode || isRecord(data['properties']) ? ['properties', name] : [name];
}

/** Checks whether the `properties` map has this name. */
export function isInMap(data: Properties, name: string): boolean {
  const map = data['properties'];
  return isRecord(map) && Object.hasOwn(map, name);
}

/** Replaces long values of a task by their size. */
export function truncateTaskValues(task: Properties): Properties {
  return Object.fromEntries(
    Object.entries(task).map(([key, value]) => {
      const { length } = JSON.stringify(value);
      return [key, length <= MAX_TASK_VALUE_CHARACTERS ? value : `… ${length} characters; graph_context shows them`];
    }),
  );
}

/** Returns the first valid time among these keys, as ISO 8601 UTC with milliseconds, or null. */
export function readTime(data: Properties, keys: readonly string[]): string | null {
  for (const key of keys) {
    const value: PropertyValue | undefined = data[key];
    const time = typeof value === 'string' ? Date.parse(value) : Number.NaN;
    if (!Number.isNaN(time)) return new Date(time).toISOString();
  }
  return null;
}

/** Returns when a note was created and changed: by its properties, else by its file. */
export function readTimes({ note, createdMs, modifiedMs }: NoteOnDisk): { readonly created: string; readonly updated: string } {
  const { data } = note.frontmatter;
  return {
    created: readTime(data, CREATED_KEYS) ?? new Date(createdMs).toISOString(),
    updated: readTime(data, UPDATED_KEYS) ?? new Date(modifiedMs).toISOString(),
  };
}

/** Returns the revision of a note to tell: its `rev`, else the count of its changes. Tasks count by their `rev` alone, 0 without one. */
export function tellRevision(context: Pick<OperationContext, 'config' | 'readLog'>, { entry, onDisk }: FoundNote): number | null {
  const { rev, hash, note } = onDisk;
  const { data } = note.frontmatter;
  const told = isTaskNote(context, entry) && !hasOwnRev(data) ? (revOf(data) ?? 0) : rev;
  if (told !== null) context.readLog?.tellRevision(entry.path, { rev: told, hash });
  return told;
}
