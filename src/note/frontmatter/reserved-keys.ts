import type { Properties } from '../note.ts';

/** Keys with the creation time of a note, in order of precedence. */
export const CREATED_KEYS: readonly string[] = ['created_at', 'created'];
/** Keys with the last change of a note, in order of precedence. */
export const UPDATED_KEYS: readonly string[] = ['updated_at', 'updated', 'modified'];
/** Keys that roux itself updates with every write. */
export const STAMP_KEYS: readonly string[] = ['rev', 'updated_at'];

/** Keys that roux writes for itself, which say nothing about what a note says. */
export const BOOKKEEPING_KEYS: ReadonlySet<string> = new Set([
  'id',
  'format',
  'encoding',
  'origin',
  'created_by',
  'updated_by',
  'created_at',
  'imported',
  ...STAMP_KEYS,
]);

/** Keys with a meaning for roux in any note (docs/format.md, Frontmatter). */
const NOTE_KEYS: ReadonlySet<string> = new Set(
  [
    ['id', 'type', 'title', 'aliases', 'tags', 'rev', 'parent', 'depends_on', 'properties'],
    [...CREATED_KEYS, ...UPDATED_KEYS, 'created_by'],
    ['format', 'encoding'],
  ].flat(),
);
/** Keys with a meaning in tasks; in other notes they belong to people. */
const TASK_KEYS: ReadonlySet<string> = new Set([
  'resolved',
  'state',
  'summary',
  'blocked',
  'context_links',
  'evidence',
  'evidence_notes',
  'github_sync',
  'imported',
]);

/** Returns whether a key has a meaning for roux in the frontmatter of a task. */
export function isReservedTaskKey(key: string): boolean {
  return NOTE_KEYS.has(key) || TASK_KEYS.has(key);
}

/** Returns whether only the task tools may change this key of a task. The reason for `blocked` is a property that others may set. */
export function isTaskKey(key: string): boolean {
  return key === 'parent' || key === 'depends_on' || (TASK_KEYS.has(key) && key !== 'blocked');
}

/** Returns whether this may be the frontmatter of a task, by its type or a `resolved` key. Whether it is one also depends on its folder. */
export function hasTaskKeys({ type, resolved }: Properties): boolean {
  return type === 'task' || type === 'project' || resolved !== undefined;
}
