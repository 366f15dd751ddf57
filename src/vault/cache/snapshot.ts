import { readBlocks, toBlock } from './blocks.ts';
import type { EntryFields } from '../../graph/entry.ts';
import { isValidPackedGraph, packedColumns } from '../../graph/packed-graph.ts';
import type { PackedColumns, PackedGraph } from '../../graph/packed-graph.ts';
import type { Problem } from '../../note/note.ts';
import { isConflictCopy, isVaultPath, normalizeId, toNotePath } from '../../note/path.ts';
import type { SeenNote } from '../sync/inventory.ts';

/*
 * A graph and what the disk showed of its notes, as blocks: a length in four bytes, then that many bytes.
 *
 *   names as JSON | the columns of the graph | sizes, mtimes, ctimes, inodes | notes as JSON, NOTES_PER_BLOCK each
 */

/** What the cache stores for the next start. */
export interface Snapshot {
  readonly graph: PackedGraph;
  /** One per note, in the order of the graph's entries. */
  readonly seen: readonly SeenNote[];
}

/** One note in JSON. Its times are stored apart, since JSON has no integers of that size. */
type NoteRow = readonly [
  path: string,
  id: string | null,
  title: string,
  type: string | null,
  aliases: readonly string[],
  tags: readonly string[],
  hash: string,
  yaml: string,
  headings: string,
  blocks: string,
  problems: readonly Problem[] | null,
  linkedTo: string | null,
];

interface Names {
  readonly keys: readonly string[];
  readonly linkpaths: readonly string[];
  readonly texts: readonly string[];
  readonly attachments: readonly string[];
}

/** Notes per block: a few milliseconds of work. */
const NOTES_PER_BLOCK = 500;
const EMPTY: readonly never[] = Object.freeze([]);

/** Encodes a snapshot as blocks. */
export function* encodeSnapshot({ graph, seen }: Snapshot): Generator<void, readonly Uint8Array[]> {
  const { entries, attachments, keys, linkpaths, texts, columns } = graph;
  const names: Names = { keys, linkpaths, texts, attachments };
  const blocks = [...toBlock(Buffer.from(JSON.stringify(names)))];
  for (const name of packedColumns) {
    yield;
    blocks.push(...toBlock(columns[name]));
  }
  const stamps = seen.map(({ stamp }) => stamp);
  blocks.push(
    ...toBlock(Float64Array.from(stamps, ({ size }) => size)),
    ...toBlock(BigInt64Array.from(stamps, ({ mtimeNs }) => mtimeNs)),
    ...toBlock(BigInt64Array.from(stamps, ({ ctimeNs }) => ctimeNs)),
    ...toBlock(BigUint64Array.from(stamps, ({ ino }) => ino)),
  );
  yield;
  for (let start = 0; start < entries.length; start += NOTES_PER_BLOCK) {
    const rows = entries.slice(start, start + NOTES_PER_BLOCK).map((entry, at) => toRow(entry, seen[start + at]));
    blocks.push(...toBlock(Buffer.from(JSON.stringify(rows))));
    yield;
  }
  return blocks;
}

/** Decodes a snapshot; null for a damaged one. `isHidden` is evaluated again, since the configuration may have changed. */
export function* decodeSnapshot(bytes: Buffer, isHidden: (path: string) => boolean): Generator<void, Snapshot | null> {
  const blocks = readBlocks(bytes);
  const [first, ...rest] = blocks;
  if (first === undefined || rest.length < packedColumns.length + 4) return null;
  const names = JSON.parse(first.toString('utf8')) as Names;
  yield;
  const columns = Object.fromEntries(packedColumns.map((name, at) => [name, new Int32Array(copy(rest[at]))]));
  const [sizes, mtimes, ctimes, inodes, ...notes] = rest.slice(packedColumns.length);
  const stamps = {
    size: new Float64Array(copy(sizes)),
    mtimeNs: new BigInt64Array(copy(mtimes)),
    ctimeNs: new BigInt64Array(copy(ctimes)),
    ino: new BigUint64Array(copy(inodes)),
  };
  const entries: EntryFields[] = [];
  const seen: SeenNote[] = [];
  for (const block of notes) {
    for (const row of JSON.parse(block.toString('utf8')) as readonly NoteRow[]) {
      const at = seen.length;
      const [mtimeNs, ctimeNs, ino] = [stamps.mtimeNs[at], stamps.ctimeNs[at], stamps.ino[at]];
      if (mtimeNs === undefined || ctimeNs === undefined || ino === undefined) return null;
      const note = fromRow(row, { size: stamps.size[at] ?? 0, mtimeNs, ctimeNs, ino }, isHidden);
      if (note === null) return null;
      entries.push(note.entry);
      seen.push(note.seen);
    }
    yield;
  }
  const graph: PackedGraph = { entries, ...names, columns: columns as PackedColumns };
  return graph.attachments.every(isVaultPath) && (yield* isValidPackedGraph(graph)) ? { graph, seen } : null;
}

function toRow(entry: EntryFields, seen: SeenNote | undefined): NoteRow {
  return [
    entry.path,
    seen?.id ?? null,
    entry.title,
    entry.type,
    entry.aliases,
    entry.tags,
    entry.hash,
    entry.yaml,
    entry.packedHeadings,
    entry.packedBlocks,
    entry.problems.length === 0 ? null : entry.problems,
    seen?.linkedTo ?? null,
  ];
}

function fromRow(
  row: NoteRow,
  stamp: SeenNote['stamp'],
  isHidden: (path: string) => boolean,
): { entry: EntryFields; seen: SeenNote } | null {
  const [name, id, title, type, aliases, tags, hash, yaml, packedHeadings, packedBlocks, problems, linkedTo] = row;
  const path = toNotePath(name);
  if (path === null) return null;
  const hasOwnId = id !== null && !isConflictCopy(path);
  const entry: EntryFields = {
    path,
    id: hasOwnId ? id : normalizeId(path),
    hasOwnId,
    title,
    aliases: aliases.length === 0 ? EMPTY : aliases,
    tags: tags.length === 0 ? EMPTY : tags,
    type,
    problems: problems ?? EMPTY,
    stamp,
    hash,
    isExcluded: isHidden(path),
    yaml,
    packedHeadings,
    packedBlocks,
  };
  return { entry, seen: linkedTo === null ? { stamp, hash, id } : { stamp, hash, id, linkedTo } };
}

/** Copies bytes to a buffer of their own, so that they are aligned for typed arrays. */
function copy(block: Buffer | undefined): ArrayBuffer {
  return new Uint8Array(block ?? []).buffer;
}
