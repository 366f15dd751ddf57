import type { Config } from '../../../../config.ts';
import type { GraphView, NoteEntry } from '../../../../graph/view.ts';
import { folderOf } from '../../../../note/path.ts';
import { kindOf } from '../find/note-kind.ts';
import { isoTime } from '../iso-time.ts';

/**
 * Returns the notes whose files changed last, newest first. Leaves out tasks, memory and facts, of which agents write more than a person
 * reads; `activity` has them.
 */
export function listRecentNotes(graph: GraphView, config: Config, limit: number) {
  const newest: NoteEntry[] = [];
  for (const entry of graph.entries()) {
    const last = newest.at(-1);
    if (newest.length === limit && last !== undefined && entry.stamp.mtimeNs <= last.stamp.mtimeNs) continue;
    if (kindOf(config, entry.path) !== 'note') continue;
    const at = newest.findIndex(({ stamp }) => stamp.mtimeNs < entry.stamp.mtimeNs);
    newest.splice(at === -1 ? newest.length : at, 0, entry);
    if (newest.length > limit) newest.pop();
  }
  return newest.map(({ path, title, stamp }) => ({ path, title, folder: folderOf(path), updated: isoTime(stamp.mtimeNs) }));
}
