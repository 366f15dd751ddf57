import { createHash, hash as digest } from 'node:crypto';
import { makeFolders, removeIfThere, writeNewFile } from '../disk/atomic.ts';
import type { Disk } from '../disk/disk.ts';
import type { FileSystem } from '../disk/file-system.ts';
import type { Graph } from '../graph/view.ts';
import type { Inventory } from './inventory.ts';
import { joinPath } from './inventory.ts';
import { decodeRecord, encodeNote, recordEnd } from './note-record.ts';
import type { CachedNote } from './note-record.ts';
import { programKey } from './program-key.ts';
import { runInSlices } from './slices.ts';
import type { Slice } from './slices.ts';

/** What a vault keeps under `.roux/cache` so that the next start reads only what changed. It may be deleted at any time. */
export interface Cache {
  /** Give the notes as they were when the cache was saved, one a step; none when there is no cache that this program wrote. */
  load(accept: (note: CachedNote) => void): Generator<void>;
  /** Save what is known now, in slices. */
  save(known: { graph: Graph; inventory: Inventory; racy: ReadonlySet<string> }, slice: Slice): Promise<void>;
  /** One more file beside it: the stored search index. */
  readonly search: { load(): Promise<Uint8Array | null>; save(bytes: Uint8Array): Promise<void> };
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

/** Grows with every change of the record. */
const FORMAT = 'roux-cache-1';

/** The cache of a vault. Nothing is touched before `load` or `save`. */
export function openCache(options: CacheOptions): Cache {
  const { disk, root } = options;
  const folder = `${root}/.roux/cache`;
  return {
    *load(accept) {
      const bytes = read(disk, `${folder}/notes`);
      if (bytes === null) return;
      const headEnd = bytes.indexOf('\n');
      const body = bytes.subarray(headEnd + 1);
      if (bytes.toString('utf8', 0, headEnd) !== headOf(disk, digest('sha256', body, 'hex'))) return;
      const text = body.toString('utf8');
      yield;
      for (let start = 0, end = text.indexOf(recordEnd); end >= 0; start = end + 1, end = text.indexOf(recordEnd, start)) {
        const note = decodeRecord(text.slice(start, end));
        if (note !== null) accept(note);
        yield;
      }
    },
    async save({ graph, inventory, racy }, slice) {
      const content = await runInSlices(slice, encodeAll({ graph, inventory, racy }));
      const head = Buffer.from(`${headOf(disk, content.hash)}\n`);
      await replace(options, 'notes', Buffer.concat([head, ...content.chunks]));
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

function* encodeAll(known: {
  graph: Graph;
  inventory: Inventory;
  racy: ReadonlySet<string>;
}): Generator<void, { chunks: readonly Buffer[]; hash: string }> {
  const { graph, inventory, racy } = known;
  const chunks: Buffer[] = [];
  const key = createHash('sha256');
  for (const [folder, { notes }] of inventory.folders) {
    for (const [name, seen] of notes) {
      const path = joinPath(folder, name);
      const entry = graph.get(path);
      if (entry === null || entry.hash !== seen.hash) continue;
      const record = encodeNote(entry, graph.links(path), seen, !racy.has(path));
      if (record === null) continue;
      const chunk = Buffer.from(record);
      key.update(chunk);
      chunks.push(chunk);
      yield;
    }
  }
  return { chunks, hash: key.digest('hex') };
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
