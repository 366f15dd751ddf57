import { compareText } from '../note/text.ts';
import type { EntryFields } from './entry.ts';

/**
 * Columns of a packed graph: by file, linkpath, note and link, and of the keys of its facets. Links are stored by source, then in text order.
 */
export const packedColumns = [
  'fileKey',
  'linkpathKey',
  'linkCount',
  'linkpath',
  'subpath',
  'property',
  'flags',
  'target',
  'facetCount',
  'facetNotes',
] as const;

/** The links of all notes and their keys as numbers. */
export type PackedColumns = Readonly<Record<(typeof packedColumns)[number], Int32Array>>;

/** The keys of each index of the catalog, the number of notes of each, and these notes. */
export interface PackedFacets {
  readonly facets: readonly (readonly string[])[];
  readonly facetCount: Int32Array;
  readonly facetNotes: Int32Array;
}

/** A whole graph with resolved links, in its stored form. A file's number is its index: the notes by path, then the attachments by path. */
export interface PackedGraph {
  readonly entries: readonly EntryFields[];
  readonly attachments: readonly string[];
  readonly keys: readonly string[];
  readonly linkpaths: readonly string[];
  readonly texts: readonly string[];
  readonly facets: PackedFacets['facets'];
  readonly columns: PackedColumns;
}

/**
 * Returns whether all numbers of a packed graph are valid and its paths unique, since they are taken for granted. Runs in steps. That other
 * names are unique is not looked at: one that is there twice is found once, and the bytes are those that this user's roux wrote (`Origin`).
 */
export function* isValidPackedGraph(graph: PackedGraph): Generator<void, boolean> {
  const { entries, attachments, keys, linkpaths, texts, facets, columns } = graph;
  const files = entries.length + attachments.length;
  const links = columns.linkpath.length;
  const checks: readonly (() => boolean)[] = [
    () => entries.every(({ path }, at) => at === 0 || compareText(entries[at - 1]?.path ?? '', path) < 0),
    () => attachments.every((path, at) => at === 0 || compareText(attachments[at - 1] ?? '', path) < 0),
    () => {
      const names = new Set(attachments);
      return entries.every(({ path }) => !names.has(path));
    },
    () => isColumn(columns.fileKey, { length: files, from: 0, end: keys.length }),
    () => isColumn(columns.linkpathKey, { length: linkpaths.length, from: 0, end: keys.length }),
    () => isColumn(columns.linkCount, { length: entries.length, from: 0, end: links + 1 }),
    () => columns.linkCount.reduce((sum, count) => sum + count, 0) === links,
    () => isColumn(columns.linkpath, { length: links, from: 0, end: linkpaths.length }),
    () => isColumn(columns.subpath, { length: links, from: -1, end: texts.length }),
    () => isColumn(columns.property, { length: links, from: -1, end: texts.length }),
    () => isColumn(columns.flags, { length: links, from: 0, end: 16 }),
    () => isColumn(columns.target, { length: links, from: -1, end: files }),
    () => isColumn(columns.facetCount, { length: facets.reduce((sum, { length }) => sum + length, 0), from: 1, end: entries.length + 1 }),
    () => columns.facetCount.reduce((sum, count) => sum + count, 0) === columns.facetNotes.length,
    () => isColumn(columns.facetNotes, { length: columns.facetNotes.length, from: 0, end: entries.length }),
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
