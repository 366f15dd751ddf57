import { createHash } from 'node:crypto';
import { lstatSync, readdirSync, readlinkSync } from 'node:fs';
import type { BigIntStats, Dirent } from 'node:fs';
import { dirname, join } from 'node:path';
import { systemCode } from '../errors.ts';
import { readSmallFile } from '../small-file.ts';
import type { GitIndex, IndexEntry } from './index-file.ts';
import { kindOf } from './repository.ts';
import { nameIn } from './trees.ts';

/** Largest file whose content is compared, and of all in one call. */
const MAX_HASHED_BYTES = 32 * 1024 * 1024;
const MAX_HASHED_TOTAL_BYTES = 512 * 1024 * 1024;
const MAX_WALKED = 20_000;
const SECOND_NS = 1_000_000_000n;

/** The files of a checkout as they are now, saved and not committed included. Paths begin at its top, in NFC. Nothing follows a link. */
export class CheckoutFiles {
  /** The tracked files, sorted. */
  readonly paths: readonly string[];
  readonly #top: string;
  readonly #index: GitIndex | null;
  readonly #tracked = new Map<string, IndexEntry>();
  /** Folders that a sparse checkout leaves out as a whole. */
  readonly #leftOut: string[] = [];
  readonly #folders = new Map<string, boolean>();
  readonly #hashes = new Map<string, string | undefined>();
  #hashedBytes = 0;
  #byId: ReadonlyMap<string, readonly string[]> | undefined;

  /** `top`: its top folder. `index`: null where there is no repository, so that nothing is tracked. */
  constructor(top: string, index: GitIndex | null) {
    this.#top = top;
    this.#index = index;
    for (const entry of index?.entries ?? []) {
      if (entry.path.endsWith('/')) this.#leftOut.push(entry.path);
      else if (!this.#tracked.has(entry.path)) this.#tracked.set(entry.path, entry);
    }
    this.paths = [...this.#tracked.keys()].sort();
  }

  /** Returns the tracked files that a path means: itself, or those below. `''` means all. */
  under(path: string): readonly string[] {
    if (path === '') return this.paths;
    const [start, end] = [firstFrom(this.paths, `${path}/`), firstFrom(this.paths, `${path}0`)];
    return [...(this.#tracked.has(path) ? [path] : []), ...this.paths.slice(start, end)];
  }

  /** Returns git's id for what a tracked file holds now; null if it is gone, undefined where that is not known. */
  idOf(path: string): string | null | undefined {
    const entry = this.#tracked.get(path);
    if (entry === undefined) return this.#isLeftOut(path) ? undefined : null;
    if (entry.isLeftOut || entry.isSubmodule) return entry.id;
    const state = this.#stateOf(entry);
    if (state === null || state === undefined) return state;
    if (isUnchanged(entry, state, this.#index?.mtimeNs ?? 0n)) return entry.id;
    if (!this.#hashes.has(path)) this.#hashes.set(path, this.#hash(entry, state));
    return this.#hashes.get(path);
  }

  /** Returns when a tracked file was changed last, in milliseconds; null if it is gone or that is not known. */
  changedMs(path: string): number | null {
    const entry = this.#tracked.get(path);
    const state = entry === undefined ? null : this.#stateOf(entry);
    return state === null || state === undefined ? null : Number(state.mtimeNs / 1_000_000n);
  }

  /** Returns the tracked files that were last added with this content. */
  withId(id: string): readonly string[] {
    this.#byId ??= groupById(this.#tracked.values());
    return this.#byId.get(id) ?? [];
  }

  /** Returns what is at a path, tracked or not. `unseen`: behind a link, in a submodule that is not checked out, or not looked at. */
  find(path: string): 'file' | 'folder' | 'unseen' | null {
    const entry = this.#tracked.get(path);
    if (entry?.isLeftOut === true || this.#isLeftOut(path)) return 'unseen';
    const names = path.split('/');
    if (names.some((name) => name.toLowerCase() === '.git')) return null;
    for (let depth = 1; depth < names.length; depth++) {
      const at = names.slice(0, depth).join('/');
      const kind = this.#kindAt(at);
      if (kind === 'link' || kind === 'barred') return 'unseen';
      if (kind !== 'folder') return null;
      if (this.#tracked.get(at)?.isSubmodule === true && this.#list(at).length === 0) return 'unseen';
    }
    // The bytes of its name may be others.
    const kind = this.#kindAt(path) ?? (entry !== undefined && this.#stateOf(entry) ? 'file' : null);
    return kind === 'barred' ? 'unseen' : kind === null || kind === 'folder' ? kind : 'file';
  }

  /** Yields the paths of all files below a folder, tracked or not, at most 20,000; then null if there are more. */
  *walk(folder: string): Generator<string | null> {
    const waiting = [folder];
    for (let left = MAX_WALKED; waiting.length > 0;) {
      const at = waiting.pop() ?? '';
      if (!this.#isFolder(at)) continue;
      for (const entry of this.#list(at)) {
        const name = nameIn(entry.name);
        if (name.toLowerCase() === '.git') continue;
        if ((left -= 1) < 0) return yield null;
        const path = at === '' ? name : `${at}/${name}`;
        if (entry.isDirectory()) waiting.push(path);
        else yield path;
      }
    }
  }

  #isLeftOut(path: string): boolean {
    return this.#leftOut.some((folder) => `${path}/`.startsWith(folder));
  }

  /** Whether a folder of the checkout is one, reached through no link. */
  #isFolder(path: string): boolean {
    if (path === '' || path === '.') return true;
    const known = this.#folders.get(path);
    if (known !== undefined) return known;
    const is = this.#isFolder(dirname(path)) && this.#kindAt(path) === 'folder';
    this.#folders.set(path, is);
    return is;
  }

  /** Returns what is at a path whose folder is one; null for nothing. */
  #kindAt(path: string): ReturnType<typeof kindOf> | 'barred' {
    try {
      return kindOf(join(this.#top, path));
    } catch (error) {
      return systemCode(error) === 'EACCES' ? 'barred' : null;
    }
  }

  #list(folder: string): readonly Dirent<Buffer>[] {
    try {
      return readdirSync(join(this.#top, folder), { withFileTypes: true, encoding: 'buffer' });
    } catch {
      // What may not be looked into has no files.
      return [];
    }
  }

  /** Returns the state of a tracked file; null if it is gone, undefined if this user may not look into its folder. */
  #stateOf({ path, raw }: IndexEntry): BigIntStats | null | undefined {
    if (!this.#isFolder(dirname(path))) return null;
    try {
      const state = lstatSync(toFile(this.#top, path, raw), { bigint: true, throwIfNoEntry: false });
      return state === undefined || state.isDirectory() ? null : state;
    } catch (error) {
      // Every other error is one of a name that no file here can have.
      return systemCode(error) === 'EACCES' ? undefined : null;
    }
  }

  #hash(entry: IndexEntry, state: BigIntStats): string | undefined {
    if (!state.isFile() && !state.isSymbolicLink()) return undefined;
    this.#hashedBytes += Number(state.size);
    if (state.size > MAX_HASHED_BYTES || this.#hashedBytes > MAX_HASHED_TOTAL_BYTES) return undefined;
    const file = toFile(this.#top, entry.path, entry.raw);
    const bytes = state.isSymbolicLink() ? readlinkSync(file, 'buffer') : bytesOf(file);
    if (bytes === null) return undefined;
    const id = blobId(bytes, entry.id.length);
    if (id === entry.id || !bytes.includes('\r\n')) return id;
    // Git may have checked it out with other ends of lines.
    const unixId = blobId(Buffer.from(bytes.toString('latin1').replaceAll('\r\n', '\n'), 'latin1'), entry.id.length);
    return unixId === entry.id ? unixId : id;
  }
}

function groupById(entries: Iterable<IndexEntry>): ReadonlyMap<string, readonly string[]> {
  const groups = new Map<string, string[]>();
  for (const { id, path } of entries) {
    const group = groups.get(id);
    if (group === undefined) groups.set(id, [path]);
    else group.push(path);
  }
  return groups;
}

/** Returns git's id of a file with these bytes. `digits`: 40 or 64. */
function blobId(bytes: Buffer, digits: number): string {
  return createHash(digits === 64 ? 'sha256' : 'sha1')
    .update(`blob ${bytes.length}\0`)
    .update(bytes)
    .digest('hex');
}

/** Whether a file is certainly as it was when git looked at it last: by its times, and later than the index no change can hide. */
function isUnchanged(entry: IndexEntry, state: BigIntStats, indexNs: bigint): boolean {
  const isSameTime =
    entry.mtimeNs % SECOND_NS === 0n ? state.mtimeNs / SECOND_NS === entry.mtimeNs / SECOND_NS : state.mtimeNs === entry.mtimeNs;
  return isSameTime && (state.size & 0xffff_ffffn) === BigInt(entry.size) && state.mtimeNs < indexNs;
}

function toFile(top: string, path: string, raw: Buffer): string | Buffer {
  return raw.equals(Buffer.from(path)) ? join(top, path) : Buffer.concat([Buffer.from(`${top}/`), raw]);
}

function bytesOf(file: string | Buffer): Buffer | null {
  const read = readSmallFile(file, { mostBytes: MAX_HASHED_BYTES, encoding: 'latin1' });
  return read.kind === 'text' ? Buffer.from(read.text, 'latin1') : null;
}

/** Returns the place of the first path that is not before a text, in sorted paths. */
function firstFrom(paths: readonly string[], text: string): number {
  let [low, high] = [0, paths.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((paths[middle] ?? '') < text) low = middle + 1;
    else high = middle;
  }
  return low;
}
