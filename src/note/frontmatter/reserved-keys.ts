/** The keys that say when a note was made, in the order they are believed. */
export const CREATED_KEYS: readonly string[] = ['created_at', 'created'];
/** The keys that say when a note was changed last, in the order they are believed. */
export const UPDATED_KEYS: readonly string[] = ['updated_at', 'updated', 'modified'];

/** What means something to roux in any note (docs/format.md, Frontmatter). */
const NOTE_KEYS: ReadonlySet<string> = new Set(
  [
    ['id', 'type', 'title', 'aliases', 'tags', 'rev'],
    ['resolved', 'state', 'summary', 'parent', 'depends_on', 'properties', 'context_links', 'evidence'],
    [...CREATED_KEYS, ...UPDATED_KEYS, 'created_by'],
    ['format', 'encoding'],
    ['group_id', 'source', 'source_description', 'reference_time', 'ingest'],
  ].flat(),
);
/** What means something in a task besides; in any other note it is people's own. */
const TASK_KEYS: ReadonlySet<string> = new Set(['blocked']);

/** Whether a key of the frontmatter means something to roux: all others are a note's own properties. */
export function isReservedKey(key: string): boolean {
  return NOTE_KEYS.has(key);
}

/** Whether a key means something to roux in the frontmatter of a task. */
export function isReservedTaskKey(key: string): boolean {
  return NOTE_KEYS.has(key) || TASK_KEYS.has(key);
}
