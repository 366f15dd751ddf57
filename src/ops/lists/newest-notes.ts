import type { GraphView, NoteEntry } from '../../graph/view.ts';

/** Returns the notes of a folder, or of the vault, whose files changed last, newest first. Reads none of them. */
export function newestNotes(
  graph: GraphView,
  limit: number,
  { under, isWanted }: { readonly under?: string; readonly isWanted?: (entry: NoteEntry) => boolean } = {},
): readonly NoteEntry[] {
  let newest: readonly NoteEntry[] = [];
  for (const entry of graph.entries(under === undefined ? {} : { under, includeHidden: true })) {
    const oldest = newest.at(-1);
    if (newest.length === limit && oldest !== undefined && !isNewer(entry, oldest)) continue;
    if (isWanted?.(entry) === false) continue;
    const before = newest.filter((other) => !isNewer(entry, other));
    newest = [...before, entry, ...newest.slice(before.length)].slice(0, limit);
  }
  return newest;
}

function isNewer(entry: NoteEntry, other: NoteEntry): boolean {
  return entry.stamp.mtimeNs > other.stamp.mtimeNs;
}
