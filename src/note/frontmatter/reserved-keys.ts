import type { Properties } from '../note.ts';

/** The keys that say when a note was made, in the order they are believed. */
export const CREATED_KEYS: readonly string[] = ['created_at', 'created'];
/** The keys that say when a note was changed last, in the order they are believed. */
export const UPDATED_KEYS: readonly string[] = ['updated_at', 'updated', 'modified'];
/** What roux itself counts and dates in a note: no write is about it. */
export const STAMP_KEYS: readonly string[] = ['rev', 'updated_at'];

/** What means something to roux in any note (docs/format.md, Frontmatter). */
const NOTE_KEYS: ReadonlySet<string> = new Set(
  [
    ['id', 'type', 'title', 'aliases', 'tags', 'rev', 'parent', 'depends_on', 'properties'],
    [...CREATED_KEYS, ...UPDATED_KEYS, 'created_by'],
    ['format', 'encoding'],
  ].flat(),
);
/** What means something in a task besides; in any other note it is people's own. */
const TASK_KEYS: ReadonlySet<string> = new Set(['resolved', 'state', 'summary', 'blocked', 'context_links', 'evidence', 'evidence_notes']);

/** Whether a key means something to roux in the frontmatter of a task. */
export function isReservedTaskKey(key: string): boolean {
  return NOTE_KEYS.has(key) || TASK_KEYS.has(key);
}

/** Whether only the task tools change this key of a task. Why a task is blocked is a property that others may set. */
export function isTaskKey(key: string): boolean {
  return key === 'parent' || key === 'depends_on' || (TASK_KEYS.has(key) && key !== 'blocked');
}

/** Whether this is the frontmatter of a task: its type says so, or that it can be resolved. Whether it is one depends on its folder too. */
export function hasTaskKeys({ type, resolved }: Properties): boolean {
  return type === 'task' || type === 'project' || resolved !== undefined;
}
