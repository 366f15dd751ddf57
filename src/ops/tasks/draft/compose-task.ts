import { composeNote } from '../../../note/compose.ts';
import type { Properties } from '../../../note/note.ts';

/** The key order of a new task. Edges of other types follow the first group. */
const KEY_ORDER: readonly string[] = ['id', 'type', 'title', 'summary', 'resolved', 'parent', 'depends_on'];
const KEYS_LAST: readonly string[] = ['properties', 'context_links', 'evidence', 'rev', 'created_at', 'updated_at', 'created_by'];

/** Composes the note of a new task. */
export function composeTask(values: Properties): string {
  const others = Object.keys(values).filter((key) => !KEY_ORDER.includes(key) && !KEYS_LAST.includes(key));
  const keys = [...KEY_ORDER, ...others, ...KEYS_LAST];
  return composeNote({ properties: Object.fromEntries(keys.map((key) => [key, values[key]])), body: '' });
}
