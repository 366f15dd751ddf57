import type { Config } from '../config.ts';
import { projectOf } from '../graph/tasks/task-note.ts';
import type { Direction } from '../graph/view.ts';
import { isRecord } from '../is-record.ts';
import { isPropertyList, nameOf, revOf, typeNameOf } from '../note/frontmatter/property-value.ts';
import { CREATED_KEYS, hasTaskKeys, isTaskKey, UPDATED_KEYS } from '../note/frontmatter/reserved-keys.ts';
import type { Properties, PropertyValue } from '../note/note.ts';

/** Maximum characters of one key of a task in an answer; `graph_context` shows longer ones in pages. */
const MAX_TASK_VALUE_CHARACTERS = 1_000;

/** Whether a note is a task or the root of a project: only notes below the projects root are. */
export function isTaskNote(
  { config }: { readonly config: Pick<Config, 'tasks'> },
  { path, properties }: { readonly path: string; readonly properties: Properties },
): boolean {
  return hasTaskKeys(properties) && projectOf(path, config.tasks.root) !== null;
}

/** What an answer shows of a note's frontmatter beside the fields that every note has. */
export interface ShownFrontmatter {
  /** The top-level keys as they are, and the `properties` map over them. */
  readonly properties: Properties;
  /** Top-level keys that the `properties` map has too, which hides them. */
  readonly shadowed: Properties;
  /** The keys of a task that only the task tools change. */
  readonly task: Properties;
}

/** Divides the frontmatter of a note into what an answer shows. A key is left out only where another field of the answer says the same. */
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

/** The properties of a note, as answers show them. */
export function listProperties(data: Properties, isTask: boolean): Properties {
  return showFrontmatter(data, isTask).properties;
}

/** Whether a field of an answer says all that this key says: `title`, `tags`, `rev` and others, where they hold what they are for. */
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

/** Whether `created` or `updated` of an answer is this key, to the letter. */
function isTimeField(data: Properties, key: string, keys: readonly string[]): boolean {
  return keys.includes(key) && data[key] === readTime(data, keys) && keys.find((each) => readTime(data, [each]) !== null) === key;
}

/**
 * Where a property is or would go (E-28). A new one goes to the top level in notes that people write, where Obsidian shows it, and
 * where roux reads it there; into the `properties` map in nodes of the task, memory and ontology tools (`ofTools`) and where there is one.
 */
export function propertyKey(
  data: Properties,
  name: string,
  { ofTools, isTask }: { readonly ofTools: boolean; readonly isTask: boolean },
): readonly string[] {
  // The readiness of tasks is told by `blocked` at the top level alone.
  if (isTask && name === 'blocked') return [name];
  if (isInMap(data, name)) return ['properties', name];
  if (Object.hasOwn(listProperties(data, isTask), name)) return [name];
  return ofTools || isRecord(data['properties']) ? ['properties', name] : [name];
}

/** Whether the `properties` map holds this name. */
export function isInMap(data: Properties, name: string): boolean {
  const map = data['properties'];
  return isRecord(map) && Object.hasOwn(map, name);
}

/** The keys of a task, long ones by their size. */
export function asFits(task: Properties): Properties {
  return Object.fromEntries(
    Object.entries(task).map(([key, value]) => {
      const { length } = JSON.stringify(value);
      return [key, length <= MAX_TASK_VALUE_CHARACTERS ? value : `… ${length} characters; graph_context shows them`];
    }),
  );
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
