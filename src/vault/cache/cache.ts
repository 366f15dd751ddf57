import { createHash, hash as digest } from 'node:crypto';
import { makeFolders, removeIfThere, writeNewFile } from '../../disk/atomic.ts';
import type { Disk } from '../../disk/disk.ts';
import type { FileSystem } from '../../disk/file-system.ts';
import type { Graph } from '../../graph/graph.ts';
import type { NoteEntry } from '../../graph/view.ts';
import type { Inventory, SeenNote } from '../sync/inventory.ts';
import { runInSlices } from '../sync/slices.ts';
import type { Slice } from '../sync/slices.ts';
import { programKey } from './program-key.ts';
import { decodeSnapshot, encodeSnapshot } from './snapshot.ts';
import type { Snapshot } from './snapshot.ts';

/** What a vault keeps under `.roux/cache` so that the next start reads only what changed. It may be deleted at any time. */
export interface Cache {
  /** What was known when the cache was saved; null when there is no cache that this program wrote. */
  load(isHidden: (path: string) => boolean): Generator<void, Snapshot | null>;
  /** Save what is known now, in slices; false when it changed so often meanwhile that nothing was saved. */
  save(known: Known, slice: Slice): Promise<boolean>;
  /** One more file beside it: the stored search index. */
  readonly search: { load(): Promise<Uint8Array | null>; save(bytes: Uint8Array): Promise<void> };
}

/** What is kept: the graph, and what the disk showed of its notes. */
export interface Known {
  readonly graph: Graph;
  readonly inventory: Inventory;
  /** Notes that the next start reads again. */
  readonly racy: ReadonlySet<string>;
}

/** Where a cache is kept. */
export interface CacheOptions {
  readonly disk: Disk;
  readonly files: FileSystem;
  readonly root: string;
  /** Files for a new `.roux`, by name. */
  readonly homeFiles: Readonly<Record<string, string>>;
  newId(): string;
}

/** Grows with every change of the format. */
const FORMAT = 'roux-cache-2';
/** How often saving starts again because something changed while it ran. */
const MOST_SAVES = 5;

/** The cache of a vault. Nothing is touched before `load` or `save`. */
export function openCache(options: CacheOptions): Cache {
  const { disk, root } = options;
  const folder = `${root}/.roux/cache`;
  return {
    *load(isHidden) {
      const bytes = read(disk, `${folder}/notes`);
      if (bytes === null) return null;
      const headEnd = bytes.indexOf('\n');
      // The disk reads into a buffer that it uses again.
      const body = Buffer.from(bytes.subarray(headEnd + 1));
      if (bytes.toString('utf8', 0, headEnd) !== headOf(disk, digest('sha256', body, 'hex'))) return null;
      yield;
      try {
        return yield* decodeSnapshot(body, isHidden);
      } catch {
        // Whole, and yet not what this program writes: no cache.
        return null;
      }
    },
    async save(known, slice) {
      const blocks = await runInSlices(slice, encodeUnchanged(known));
      if (blocks === null) return false;
      const key = createHash('sha256');
      for (const block of blocks) key.update(block);
      await replace(options, 'notes', Buffer.concat([Buffer.from(`${headOf(disk, key.digest('hex'))}\n`), ...blocks]));
      return true;
    },
    search: {
      async load() {
        const bytes = read(disk, `${folder}/search`);
        return bytes === null ? null : Uint8Array.from(bytes);
      },
      save: (bytes) => replace(options, 'search', bytes),
    },
  };
}

/** Format, program and content in one line: a cache of another program could hold what this one reads differently. */
function headOf(disk: Disk, contentHash: string): string {
  return `${FORMAT} ${programKey(disk)} ${contentHash}`;
}

/** A snapshot of one instant, though it is made in slices: begun anew when the graph changes meanwhile. */
function* encodeUnchanged({ graph, inventory, racy }: Known): Generator<void, readonly Buffer[] | null> {
  for (let left = MOST_SAVES; left > 0; left -= 1) {
    const { version } = graph;
    const packed = yield* graph.pack();
    if (graph.version !== version) continue;
    const seen = packed.entries.map((entry) => seenOf(inventory.note(entry.path), entry, racy));
    const blocks = yield* encodeSnapshot({ graph: packed, seen });
    if (graph.version === version) return blocks;
  }
  return null;
}

/** What the disk showed of a note; one that may differ from the graph gets a time that the next start finds changed. */
function seenOf(seen: SeenNote | null, entry: Pick<NoteEntry, 'path' | 'stamp' | 'hash'>, racy: ReadonlySet<string>): SeenNote {
  if (seen === null || seen.hash !== entry.hash) return { stamp: { ...entry.stamp, mtimeNs: 0n }, hash: entry.hash, id: null };
  return racy.has(entry.path) ? { ...seen, stamp: { ...seen.stamp, mtimeNs: 0n } } : seen;
}

function read(disk: Disk, path: string): Buffer | null {
  try {
    return disk.read(path)?.bytes ?? null;
  } catch {
    // An unreadable cache is no cache.
    return null;
  }
}

/** Temporary file, then rename: whoever reads meanwhile sees the old one. */
async function replace(options: CacheOptions, name: string, bytes: Uint8Array): Promise<void> {
  const { files, root, homeFiles } = options;
  const home = `${root}/.roux`;
  const made = await makeFolders(files, root, `${home}/cache`);
  if (made.includes(home)) {
    for (const [file, text] of Object.entries(homeFiles)) {
      await writeNewFile(files, { path: `${home}/${file}`, bytes: Buffer.from(text), like: null, isSynced: false });
    }
  }
  const staged = `${home}/cache/${name}.${options.newId()}`;
  try {
    await writeNewFile(files, { path: staged, bytes, like: null, isSynced: false });
    await files.rename(staged, `${home}/cache/${name}`);
  } catch (error) {
    await removeIfThere(files, staged);
    throw error;
  }
}
