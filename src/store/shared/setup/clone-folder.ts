import { RouxError, systemCode } from '../../../errors.ts';
import { foldKey, folderOf } from '../../../note/path.ts';
import type { Ports } from '../../../ports.ts';
import type { FileSystem } from '../../folder/file-system.ts';
import { hashAt } from '../../folder/hash.ts';
import { makeFolders, removeIfThere, writeNewFiles } from '../../folder/write-file.ts';
import { makeHome } from '../../records/home.ts';
import { TMP } from '../../transaction/replace-file.ts';
import type { Blob, SharedVault } from '../shared-vault.ts';
import { readCheckpoint, writeCheckpoint } from '../checkpoint/checkpoint.ts';
import { tooLargeError } from '../too-large.ts';
import { isAllowedPath } from './inventory.ts';
import type { SkippedFile } from './inventory.ts';

/** Options of `cloneFolder`. */
export interface CloneOptions {
  /** An empty folder, or one that an interrupted clone left. No process serves it. */
  readonly files: FileSystem;
  readonly shared: SharedVault;
  /** The id of the working copy. */
  readonly copy: string;
  readonly ports: Pick<Ports, 'newId'>;
  readonly onProgress: (done: number, total: number) => void;
  readonly signal?: AbortSignal;
}

/** The result of a clone. */
export interface ClonedFolder {
  readonly seq: number;
  readonly files: number;
  readonly skipped: readonly SkippedFile[];
}

/** Contents per query; there are as many workers as the store has connections for readers. */
const CHUNK = 400;
const WORKERS = 3;
/** Files, and their bytes, that are written before they get their names. */
const GROUP_FILES = 64;
const GROUP_BYTES = 8 * 1024 * 1024;

/**
 * Clones a vault into a folder. The checkpoint is written before the first file, so that an interrupted clone continues with the missing files of
 * the same commit. A file gets its name when it is complete, and no existing file is overwritten.
 */
export async function cloneFolder(options: CloneOptions): Promise<ClonedFolder> {
  const { files, shared, copy, signal } = options;
  await makeHome(files, false);
  const { seq, wanted } = await chooseCommit(files, shared, copy);
  const held = files.hold();
  try {
    const { names, skipped } = selectPaths(held, wanted.keys());
    const missing = listMissing(held, names, wanted);
    const count = { done: names.length - missing.length, total: names.length };
    const byHash = new Map<string, string[]>();
    for (const path of missing) {
      const hash = wanted.get(path) ?? '';
      byHash.set(hash, [...(byHash.get(hash) ?? []), path]);
    }
    createFolders(held, missing, skipped);
    await writeAll(held, byHash, { ...options, skipped, count });
    signal?.throwIfAborted();
    const without = new Set(skipped.map(({ path }) => path));
    return { seq, files: names.filter((path) => !without.has(path)).length, skipped };
  } catch (error) {
    throw systemCode(error) === 'ENOSPC' || systemCode(error) === 'EDQUOT' ? diskFull(error) : error;
  } finally {
    held.release();
  }
}

/** Chooses the commit to clone and writes the checkpoint. */
async function chooseCommit(
  files: FileSystem,
  shared: SharedVault,
  copy: string,
): Promise<{ readonly seq: number; readonly wanted: ReadonlyMap<string, string> }> {
  const checkpoint = readCheckpoint(files);
  if (checkpoint?.vault === shared.id) {
    const wanted = await shared.feed.filesAt(checkpoint.seq);
    if (wanted !== null) return { seq: checkpoint.seq, wanted };
  }
  const listing = await shared.feed.listing();
  // A checkpoint that is too old for the store stays: local files that differ become conflict copies when the folder is opened.
  if (checkpoint?.vault !== shared.id)
    await writeCheckpoint(files, { vault: shared.id, seq: listing.seq, batch: null, pushing: null, copy, unplaced: [] });
  return { seq: listing.seq, wanted: new Map(listing.files.map(({ path, hash }) => [path, hash])) };
}

/** Returns the paths that this folder can have. Those in folders that its file system takes for one are skipped. */
function selectPaths(files: FileSystem, paths: Iterable<string>): { readonly names: readonly string[]; readonly skipped: SkippedFile[] } {
  const skipped: SkippedFile[] = [];
  const isFolding = foldsCase(files);
  const folders = new Map<string, string>();
  const names = [...paths].toSorted().filter((path) => {
    if (!isAllowedPath(path)) {
      skipped.push({ path, reason: 'no vault may have a file of this name here' });
      return false;
    }
    const folder = folderOf(path);
    const other = isFolding ? (folders.get(foldKey(folder)) ?? folder) : folder;
    if (other !== folder) {
      skipped.push({
        path,
        reason: `this file system takes the folders ${other} and ${folder} for one; rename one of them on another machine`,
      });
      return false;
    }
    if (isFolding) for (let above = folder; above !== ''; above = folderOf(above)) folders.set(foldKey(above), above);
    return true;
  });
  return { names, skipped };
}

/** Whether the file system ignores case. */
function foldsCase(files: FileSystem): boolean {
  return files.stat(TMP.toUpperCase()) !== null;
}

/** Returns the paths of missing files. An existing file that differs is a user's edit, except for an empty one, which a power loss leaves. */
function listMissing(files: FileSystem, names: readonly string[], wanted: ReadonlyMap<string, string>): readonly string[] {
  return names.filter((path) => {
    const state = files.hint(path);
    if (state === null) return true;
    if (state.kind !== 'file' || state.size > 0 || hashAt(files, path) === wanted.get(path)) return false;
    files.remove(path);
    return true;
  });
}

/** Creates the folders. If one cannot be created, each file in it is skipped when it is written. */
function createFolders(files: FileSystem, paths: readonly string[], skipped: SkippedFile[]): void {
  for (const folder of new Set(paths.map(folderOf))) {
    try {
      makeFolders(files, folder);
    } catch (error) {
      if (reasonOf(error) === null) throw error;
      skipped.push({ path: `${folder}/`, reason: reasonOf(error) ?? '' });
    }
  }
}

interface WriteOptions extends CloneOptions {
  readonly skipped: SkippedFile[];
  readonly count: { done: number; readonly total: number };
}

/** Fetches the contents and writes the files. */
async function writeAll(files: FileSystem, byHash: ReadonlyMap<string, readonly string[]>, options: WriteOptions): Promise<void> {
  const { shared, ports, signal } = options;
  const hashes = [...byHash.keys()];
  const id = ports.newId();
  const spare = { next: 0, name: () => `${TMP}/${id}.${spare.next++}` };
  let next = 0;
  let received = 0;
  const onTooLarge = (hash: string, bytes: number): void => {
    received += 1;
    const reason = tooLargeError(bytes, shared.blobs.maxBytes).message;
    for (const path of byHash.get(hash) ?? []) options.skipped.push({ path, reason });
  };
  const work = async (): Promise<void> => {
    while (next < hashes.length) {
      const some = hashes.slice(next, (next += CHUNK));
      let group: Blob[] = [];
      let bytes = 0;
      for await (const blob of shared.blobs.getAll(some, { onTooLarge })) {
        signal?.throwIfAborted();
        received += 1;
        group.push(blob);
        bytes += blob.bytes.length;
        if (group.length < GROUP_FILES && bytes < GROUP_BYTES) continue;
        await write(files, group, { byHash, spare: spare.name, options });
        group = [];
        bytes = 0;
      }
      await write(files, group, { byHash, spare: spare.name, options });
    }
  };
  const works = await Promise.allSettled(Array.from({ length: WORKERS }, work));
  const failed = works.find((each) => each.status === 'rejected');
  if (failed !== undefined) throw failed.reason;
  if (received === hashes.length) return;
  throw new RouxError('IO_ERROR', `The store does not have the contents of ${hashes.length - received} files that it lists; clone again.`);
}

/** Writes contents to temporary files, then renames each to its path. */
async function write(
  files: FileSystem,
  group: readonly Blob[],
  how: { readonly byHash: ReadonlyMap<string, readonly string[]>; readonly spare: () => string; readonly options: WriteOptions },
): Promise<void> {
  const { skipped, count, onProgress } = how.options;
  const wanted = group.flatMap(({ hash, bytes }) =>
    (how.byHash.get(hash) ?? []).map((to) => ({ to, path: how.spare(), bytes, like: null, isSynced: false, isImage: true })),
  );
  await writeNewFiles(files, wanted);
  for (const [index, { path, to }] of wanted.entries()) {
    try {
      if (files.stat(to) !== null) throw Object.assign(new Error(), { code: 'EEXIST' });
      files.rename(path, to);
    } catch (error) {
      const reason = reasonOf(error);
      for (const other of reason === null ? wanted.slice(index) : [{ path }]) removeIfThere(files, other.path);
      if (reason === null) throw error;
      skipped.push({ path: to, reason });
    }
    onProgress(++count.done, count.total);
  }
}

/** Returns why this system refuses a name; null for other errors. */
function reasonOf(error: unknown): string | null {
  switch (systemCode(error)) {
    case 'EEXIST':
      return 'a file of this name, or of one that this file system takes for it, is there already';
    case 'ENAMETOOLONG':
      return 'its name is longer than names can be here';
    case 'EINVAL':
    case 'EILSEQ':
    case 'ENOENT':
    case 'ENOTDIR':
      return 'this system takes no file of this name';
    default:
      return null;
  }
}

function diskFull(cause: unknown): RouxError {
  const message =
    'The disk is full. The files that were written stay, and none of them is incomplete: free some space, and run the same command again to continue.';
  return new RouxError('NO_SPACE', message, undefined, { cause });
}
