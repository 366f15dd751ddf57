import type { EntryFields } from './entry.ts';

/** The columns of a packed graph: by file, by linkpath, by note, by link. Links stand by source, then in the order of the text. */
export const packedColumns = ['fileKey', 'linkpathKey', 'linkCount', 'linkpath', 'subpath', 'property', 'flags', 'target'] as const;

/** The links of all notes, and what they are found by, as numbers. */
export type PackedColumns = Readonly<Record<(typeof packedColumns)[number], Int32Array>>;

/** A whole graph with its links resolved, as it is kept and taken over at once. A file's number is its place: the notes, then the attachments. */
export interface PackedGraph {
  readonly entries: readonly EntryFields[];
  readonly attachments: readonly string[];
  readonly keys: readonly string[];
  readonly linkpaths: readonly string[];
  readonly texts: readonly string[];
  readonly columns: PackedColumns;
}

/** Whether every number of a packed graph means something and nothing stands there twice: what comes from a file may be anything. Asked in steps. */
export function* isValidPackedGraph({ entries, attachments, keys, linkpaths, texts, columns }: PackedGraph): Generator<void, boolean> {
  const paths = [...entries.map(({ path }) => path), ...attachments];
  const links = columns.linkpath.length;
  const checks: readonly (() => boolean)[] = [
    ...[keys, linkpaths, texts, paths].map((names) => () => new Set(names).size === names.length),
    () => isColumn(columns.fileKey, { length: paths.length, from: 0, end: keys.length }),
    () => isColumn(columns.linkpathKey, { length: linkpaths.length, from: 0, end: keys.length }),
    () => isColumn(columns.linkCount, { length: entries.length, from: 0, end: links + 1 }),
    () => columns.linkCount.reduce((sum, count) => sum + count, 0) === links,
    () => isColumn(columns.linkpath, { length: links, from: 0, end: linkpaths.length }),
    () => isColumn(columns.subpath, { length: links, from: -1, end: texts.length }),
    () => isColumn(columns.property, { length: links, from: -1, end: texts.length }),
    () => isColumn(columns.flags, { length: links, from: 0, end: 16 }),
    () => isColumn(columns.target, { length: links, from: -1, end: paths.length }),
  ];
  for (const check of checks) {
    if (!check()) return false;
    yield;
  }
  return true;
}

function isColumn(column: Int32Array, { length, from, end }: { length: number; from: number; end: number }): boolean {
  if (column.length !== length) return false;
  for (let at = 0; at < length; at += 1) {
    const value = column[at] ?? from - 1;
    if (value < from || value >= end) return false;
  }
  return true;
}
