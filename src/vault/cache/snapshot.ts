import { readBlocks, toBlock } from './blocks.ts';
import type { EntryFields } from '../../graph/entry.ts';
import { isValidPackedGraph, packedColumns } from '../../graph/packed-graph.ts';
import type { PackedColumns, PackedGraph } from '../../graph/packed-graph.ts';
import { isVaultPath, toNotePath } from '../../note/path.ts';
import type { SeenNote } from '../sync/inventory.ts';
import { HASH_BYTES, StoredNote } from './stored-note.ts';
import type { NoteRow, StoredNotes } from './stored-note.ts';

/*
 * A graph and what the disk showed of its notes, as blocks: a length in four bytes, then that many bytes.
 *
 *   names as JSON | the columns of the graph | sizes, mtimes, ctimes, inodes, hashes, whether they have ids, ends of rows | a row in JSON a note
 */

/** What the cache stores for the next start. */
export interface Snapshot {
  readonly graph: PackedGraph;
  /** One per note, in the order of the graph's entries. */
  readonly seen: readonly Pick<SeenNote, 'stamp' | 'linkedTo'>[];
}

/** What the cache gives to a start: each note is one object, as the graph and the inventory know it. */
export interface StoredSnapshot {
  readonly graph: PackedGraph;
  readonly notes: readonly StoredNote[];
}

type Names = Pick<PackedGraph, 'keys' | 'linkpaths' | 'texts' | 'attachments' | 'facets'> & {
  readonly paths: readonly string[];
  /** The targets of the notes that are symbolic links, by number. */
  readonly linkedTo: readonly (readonly [note: number, target: string])[];
};

/** Columns by note. */
const NOTE_COLUMNS = 7;
/** Notes per step: less than a millisecond of work. */
const NOTES_PER_STEP = 100;

/** Encodes a snapshot as blocks. */
export function* encodeSnapshot({ graph, seen }: Snapshot): Generator<void, readonly Uint8Array[]> {
  const { entries, attachments, keys, linkpaths, texts, facets, columns } = graph;
  const paths = entries.map(({ path }) => path);
  const linkedTo = seen.flatMap((note, at) => (note.linkedTo === undefined ? [] : [[at, note.linkedTo] as const]));
  const names: Names = { keys, linkpaths, texts, attachments, facets, paths, linkedTo };
  const blocks = [...toBlock([Buffer.from(JSON.stringify(names))])];
  for (const name of packedColumns) {
    yield;
    blocks.push(...toBlock([columns[name]]));
  }
  const stamps = seen.map(({ stamp }) => stamp);
  yield;
  const hashes = Buffer.alloc(entries.length * HASH_BYTES);
  const hasOwnId = new Uint8Array(entries.length);
  const ends = new Uint32Array(entries.length);
  const rows: Buffer[] = [];
  let end = 0;
  for (const [at, entry] of entries.entries()) {
    hashes.write(entry.hash, at * HASH_BYTES, 'hex');
    hasOwnId[at] = entry.ownId === null ? 0 : 1;
    // Not decoded, what was stored is stored as it is.
    const row = entry instanceof StoredNote ? entry.packedRow : Buffer.from(JSON.stringify(toRow(entry)));
    rows.push(row);
    ends[at] = end += row.length;
    if (at % NOTES_PER_STEP === NOTES_PER_STEP - 1) yield;
  }
  return [
    ...blocks,
    ...toBlock([Float64Array.from(stamps, ({ size }) => size)]),
    ...toBlock([BigInt64Array.from(stamps, ({ mtimeNs }) => mtimeNs)]),
    ...toBlock([BigInt64Array.from(stamps, ({ ctimeNs }) => ctimeNs)]),
    ...toBlock([BigUint64Array.from(stamps, ({ ino }) => ino)]),
    ...toBlock([hashes]),
    ...toBlock([hasOwnId]),
    ...toBlock([ends]),
    ...toBlock(rows),
  ];
}

/** Decodes a snapshot; null for a damaged one. `isHidden` is evaluated again, since the configuration may have changed. */
export function* decodeSnapshot(bytes: Buffer, isHidden: (path: string) => boolean): Generator<void, StoredSnapshot | null> {
  const [first, ...rest] = readBlocks(bytes);
  if (first === undefined || rest.length !== packedColumns.length + NOTE_COLUMNS + 1) return null;
  const { paths, linkedTo, ...names } = JSON.parse(first.toString('utf8')) as Names;
  yield;
  const columns = Object.fromEntries(packedColumns.map((name, at) => [name, new Int32Array(copy(rest[at]))]));
  const stored = readNotes(rest.slice(packedColumns.length), paths.length);
  if (stored === null) return null;
  const targets = new Map(linkedTo);
  const notes: StoredNote[] = [];
  for (const [at, name] of paths.entries()) {
    const path = toNotePath(name);
    if (path === null) return null;
    const target = targets.get(at);
    notes.push(new StoredNote(stored, at, { path, isExcluded: isHidden(path), ...(target === undefined ? {} : { linkedTo: target }) }));
    if (at % NOTES_PER_STEP === NOTES_PER_STEP - 1) yield;
  }
  const graph: PackedGraph = { entries: notes, ...names, columns: columns as PackedColumns };
  return graph.attachments.every(isVaultPath) && (yield* isValidPackedGraph(graph)) ? { graph, notes } : null;
}

/** Takes the columns by note and the rows out of the bytes that were read; null where they are not of so many notes. */
function readNotes([sizes, mtimes, ctimes, inodes, hashes, hasOwnId, ends, rows]: readonly Buffer[], count: number): StoredNotes | null {
  const notes: StoredNotes = {
    sizes: new Float64Array(copy(sizes)),
    mtimes: new BigInt64Array(copy(mtimes)),
    ctimes: new BigInt64Array(copy(ctimes)),
    inodes: new BigUint64Array(copy(inodes)),
    hashes: Buffer.from(copy(hashes)),
    hasOwnId: new Uint8Array(copy(hasOwnId)),
    ends: new Uint32Array(copy(ends)),
    rows: Buffer.from(copy(rows)),
  };
  const { length } = notes.rows;
  const isWhole = [notes.sizes, notes.mtimes, notes.ctimes, notes.inodes, notes.hasOwnId, notes.ends].every(
    (column) => column.length === count,
  );
  const isInOrder = notes.ends.every((end, at) => end >= (notes.ends[at - 1] ?? 0) && end <= length);
  return isWhole && isInOrder && notes.hashes.length === count * HASH_BYTES ? notes : null;
}

function toRow({ ownId, title, type, aliases, tags, yaml, packedHeadings, packedBlocks, problems }: EntryFields): NoteRow {
  return [ownId, title, type, aliases, tags, yaml, packedHeadings, packedBlocks, problems.length === 0 ? null : problems];
}

/** Copies bytes to a buffer of their own, so that they are aligned for typed arrays. */
function copy(block: Buffer | undefined): ArrayBuffer {
  return new Uint8Array(block ?? []).buffer;
}
