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

/** What a working copy is made of. */
export interface CloneOptions {
  /** A folder with nothing in it, or what an earlier attempt came to; nobody serves it. */
  readonly files: FileSystem;
  readonly shared: SharedVault;
  /** What the folder is called as a working copy. */
  readonly copy: string;
  readonly ports: Pick<Ports, 'newId'>;
  readonly onProgress: (done: number, total: number) => void;
  readonly signal?: AbortSignal;
}

/** What became of it. */
export interface ClonedFolder {
  readonly seq: number;
  readonly files: number;
  readonly skipped: readonly SkippedFile[];
}

/** So many contents are asked for at once, on as many connections as the store has for readers. */
const CHUNK = 400;
const WORKERS = 3;
/** So many files, or so many bytes of them, are written before they get their names. */
const GROUP_FILES = 64;
const GROUP_BYTES = 8 * 1024 * 1024;

/**
 * Makes a folder a working copy. It stands at one commit from the first file on, so that an attempt which was killed goes on with what is
 * missing of that one; a file appears under its name whole or not at all, and nothing that has a name is written over.
 */
export async function cloneFolder(options: CloneOptions): Promise<ClonedFolder> {
  const { files, shared, copy, signal } = options;
  await makeHome(files, false);
  const { seq, wanted } = await chooseCommit(files, shared, copy);
  const held = files.hold();
  try {
    const { names, left } = usable(held, wanted.keys());
    const missing = missingOf(held, names, wanted);
    const count = { done: names.length - missing.length, total: names.length };
    const byHash = new Map<string, string[]>();
    for (const path of missing) {
      const hash = wanted.get(path) ?? '';
      byHash.set(hash, [...(byHash.get(hash) ?? []), path]);
    }
    makeEach(held, missing, left);
    await put(held, byHash, { ...options, left, count });
    signal?.throwIfAborted();
    const without = new Set(left.map(({ path }) => path));
    return { seq, files: names.filter((path) => !without.has(path)).length, skipped: left };
  } catch (error) {
    throw systemCode(error) === 'ENOSPC' || systemCode(error) === 'EDQUOT' ? diskFull(error) : error;
  } finally {
    held.release();
  }
}

/** The commit that the copy is made of, noted before the first file is there. */
async function chooseCommit(
  files: FileSystem,
  shared: SharedVault,
  copy: string,
): Promise<{ readonly seq: number; readonly wanted: ReadonlyMap<string, string> }> {
  const standing = readCheckpoint(files);
  if (standing?.vault === shared.id) {
    const wanted = await shared.filesAt(standing.seq);
    if (wanted !== null) return { seq: standing.seq, wanted };
  }
  const listing = await shared.listing();
  // A mark from before what the store still knows stays: what is there and differs is kept beside the newer files when the folder is opened.
  if (standing?.vault !== shared.id)
    await writeCheckpoint(files, { vault: shared.id, seq: listing.seq, batch: null, pushing: null, copy, unplaced: [] });
  return { seq: listing.seq, wanted: new Map(listing.files.map(({ path, hash }) => [path, hash])) };
}

/** The names that this folder can have; those of two folders that its file system takes for one are told. */
function usable(files: FileSystem, paths: Iterable<string>): { readonly names: readonly string[]; readonly left: SkippedFile[] } {
  const left: SkippedFile[] = [];
  const isFolding = foldsCase(files);
  const folders = new Map<string, string>();
  const names = [...paths].toSorted().filter((path) => {
    if (!isAllowedPath(path)) {
      left.push({ path, reason: 'no vault may have a file of this name here' });
      return false;
    }
    const folder = folderOf(path);
    const twin = isFolding ? (folders.get(foldKey(folder)) ?? folder) : folder;
    if (twin !== folder) {
      left.push({
        path,
        reason: `this file system takes the folders ${twin} and ${folder} for one; rename one of them on another machine`,
      });
      return false;
    }
    if (isFolding) for (let above = folder; above !== ''; above = folderOf(above)) folders.set(foldKey(above), above);
    return true;
  });
  return { names, left };
}

/** Whether the file system takes names for one that differ by case. */
function foldsCase(files: FileSystem): boolean {
  return files.stat(TMP.toUpperCase()) !== null;
}

/** Those that are not there. One that is there and differs is what a person made of it, but for an empty one, which a power loss leaves. */
function missingOf(files: FileSystem, names: readonly string[], wanted: ReadonlyMap<string, string>): readonly string[] {
  return names.filter((path) => {
    const state = files.hint(path);
    if (state === null) return true;
    if (state.kind !== 'file' || state.size > 0 || hashAt(files, path) === wanted.get(path)) return false;
    files.remove(path);
    return true;
  });
}

/** Makes the folders; what would come below one that cannot be made is told file by file, when it is written. */
function makeEach(files: FileSystem, paths: readonly string[], left: SkippedFile[]): void {
  for (const folder of new Set(paths.map(folderOf))) {
    try {
      makeFolders(files, folder);
    } catch (error) {
      if (reasonOf(error) === null) throw error;
      left.push({ path: `${folder}/`, reason: reasonOf(error) ?? '' });
    }
  }
}

interface Putting extends CloneOptions {
  readonly left: SkippedFile[];
  readonly count: { done: number; readonly total: number };
}

/** Brings the contents and gives them their names, a few groups at a time. */
async function put(files: FileSystem, byHash: ReadonlyMap<string, readonly string[]>, options: Putting): Promise<void> {
  const { shared, ports, signal } = options;
  const hashes = [...byHash.keys()];
  const id = ports.newId();
  const spare = { next: 0, name: () => `${TMP}/${id}.${spare.next++}` };
  let next = 0;
  let given = 0;
  const onTooLarge = (hash: string, bytes: number): void => {
    given += 1;
    const reason = tooLargeError(bytes, shared.maxFileBytes).message;
    for (const path of byHash.get(hash) ?? []) options.left.push({ path, reason });
  };
  const work = async (): Promise<void> => {
    while (next < hashes.length) {
      const some = hashes.slice(next, (next += CHUNK));
      let group: Blob[] = [];
      let bytes = 0;
      for await (const blob of shared.blobs(some, { onTooLarge })) {
        signal?.throwIfAborted();
        given += 1;
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
  if (given === hashes.length) return;
  throw new RouxError('IO_ERROR', `The store does not have the contents of ${hashes.length - given} files that it lists; clone again.`);
}

/** Writes contents whole under spare names, then gives each file its own. */
async function write(
  files: FileSystem,
  group: readonly Blob[],
  how: { readonly byHash: ReadonlyMap<string, readonly string[]>; readonly spare: () => string; readonly options: Putting },
): Promise<void> {
  const { left, count, onProgress } = how.options;
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
      left.push({ path: to, reason });
    }
    onProgress(++count.done, count.total);
  }
}

/** Why this system does not take a name; null for what is no matter of names. */
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
    'The disk is full. What is there of the folder stays, and nothing is shared by halves: free some space, and say the same again to go on.';
  return new RouxError('NO_SPACE', message, undefined, { cause });
}
