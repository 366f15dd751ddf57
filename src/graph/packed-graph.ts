import type { EntryFields } from './entry.ts';

/** Columns of a packed graph: by file, linkpath, note and link. Links are stored by source, then in text order. */
export const packedColumns = ['fileKey', 'linkpathKey', 'linkCount', 'linkpath', 'subpath', 'property', 'flags', 'target'] as const;

/** The links of all notes and their keys as numbers. */
export type PackedColumns = Readonly<Record<(typeof packedColumns)[number], Int32Array>>;

/** A whole graph with resolved links, in its stored form. A file's number is its index: the notes, then the attachments. */
export interface PackedGraph {
  readonly entries: readonly EntryFields[];
  readonly attachments: readonly string[];
  readonly keys: readonly string[];
  readonly linkpaths: readonly string[];
  readonly texts: readonly string[];
  readonly columns: PackedColumns;
}

/** Returns whether all numbers of a packed graph are valid and unique, since a file may contain anything. Runs in steps. */
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
