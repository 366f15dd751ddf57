import { RouxError, systemCode } from '../../errors.ts';
import { folderOf } from '../../note/path.ts';
import { forEachConcurrent } from '../for-each-concurrent.ts';
import { PRIVATE_FILE } from './file-system.ts';
import type { FileState, FileSystem, OpenFile } from './file-system.ts';

/** A file to create, with its attributes. */
export interface NewFile {
  readonly path: string;
  readonly bytes: Uint8Array;
  /** Mode and owner; null for the defaults of new files. */
  readonly like: Pick<FileState, 'mode' | 'uid' | 'gid'> | null;
  readonly isSynced: boolean;
  /** Whether it will become a file of the vault; otherwise a file in `.roux` is private. */
  readonly isImage?: boolean;
}

/** Returns whether a path is `.roux` or in it. */
function isOwn(path: string): boolean {
  return path === '.roux' || path.startsWith('.roux/');
}

/** Writes a new file: exclusively, completely, synced, and with its size verified. On failure nothing is left. Returns its state. */
export async function writeNewFile(files: FileSystem, wanted: NewFile): Promise<FileState> {
  const [state] = await writeNewFiles(files, [wanted]);
  return state!;
}

/** Files that are written, and kept open, before they are synced. */
const MAX_OPEN_FILES = 128;

/**
 * Writes new files like `writeNewFile`, but many before the first sync, because creating names waits for syncs under way. On failure none
 * is left. Calls `onWritten` after each complete file.
 */
export async function writeNewFiles(
  files: FileSystem,
  wanted: readonly NewFile[],
  { signal, onWritten }: { readonly signal?: AbortSignal | undefined; readonly onWritten?: (done: number) => void } = {},
): Promise<readonly FileState[]> {
  const states: FileState[] = [];
  const made: string[] = [];
  const attributes = new NewFileAttributes();
  let done = 0;
  try {
    for (let start = 0; start < wanted.length; start += MAX_OPEN_FILES) {
      const some = wanted.slice(start, start + MAX_OPEN_FILES);
      const open: OpenFile[] = [];
      try {
        for (const one of some) {
          signal?.throwIfAborted();
          const file = files.create(one.path, isOwn(one.path) && one.isImage !== true && one.like === null ? PRIVATE_FILE : 0o666);
          open.push(file);
          made.push(one.path);
          writeAll(file, one.bytes);
          if (one.like !== null && !attributes.areThoseOf(file, one.path, one.like)) copyAttributes(file, one.like);
        }
        await forEachConcurrent(some, async ({ path, bytes, isSynced }, index) => {
          signal?.throwIfAborted();
          const file = open[index]!;
          if (isSynced) await file.sync();
          const state = file.state();
          if (state.size !== bytes.length)
            throw new RouxError('IO_ERROR', `${path} holds ${state.size} bytes after writing ${bytes.length}.`, { path });
          states[start + index] = state;
          onWritten?.(++done);
        });
      } finally {
        for (const file of open) file.close();
      }
    }
    return states;
  } catch (error) {
    for (const path of made) tryRemove(files, path);
    throw error;
  }
}

/** The mode and owner that the system gives to new files of the default mode: the same to all in one folder, so that one of them is asked. */
class NewFileAttributes {
  #folder: string | null = null;
  #given: Pick<FileState, 'mode' | 'uid' | 'gid'> | null = null;

  /** Returns whether a file that was just created has these attributes. */
  areThoseOf(file: OpenFile, path: string, like: Pick<FileState, 'mode' | 'uid' | 'gid'>): boolean {
    const folder = folderOf(path);
    if (this.#given === null || this.#folder !== folder) [this.#folder, this.#given] = [folder, file.state()];
    const { mode, uid, gid } = this.#given;
    return mode === like.mode && uid === like.uid && gid === like.gid;
  }
}

/** Writes all bytes, repeating partial writes as they happen on a disk that is filling up. */
export function writeAll(file: Pick<OpenFile, 'write'>, bytes: Uint8Array, at?: number): void {
  let offset = 0;
  while (offset < bytes.length) {
    const count = file.write(bytes.subarray(offset), at === undefined ? undefined : at + offset);
    if (count <= 0) throw new RouxError('IO_ERROR', 'The disk takes no more bytes.');
    offset += count;
  }
}

/** Removes a file if it exists; returns whether it did. */
export function removeIfThere(files: FileSystem, path: string): boolean {
  try {
    files.remove(path);
    return true;
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return false;
    throw error;
  }
}

/** Removes a file after an error. */
export function tryRemove(files: FileSystem, path: string): void {
  try {
    files.remove(path);
  } catch {
    // The caller throws the original error.
  }
}

/** Creates a folder and its missing parents; returns those created, outermost first. */
export function makeFolders(files: FileSystem, folder: string): readonly string[] {
  const missing: string[] = [];
  for (let path = folder; path !== ''; path = folderOf(path)) {
    if (files.stat(path) !== null) break;
    missing.unshift(path);
  }
  const made: string[] = [];
  for (const path of missing) {
    try {
      files.makeFolder(path, isOwn(path));
      made.push(path);
    } catch (error) {
      if (systemCode(error) !== 'EEXIST') throw error;
    }
  }
  return made;
}

/** Removes a folder and its subfolders as far as they contain no files. */
export function removeIfEmpty(files: FileSystem, folder: string): void {
  for (const { name, kind } of files.list(folder) ?? []) if (kind === 'folder') removeIfEmpty(files, `${folder}/${name}`);
  removeOnlyIfEmpty(files, folder);
}

/** Removes a folder that is completely empty. */
export function removeOnlyIfEmpty(files: FileSystem, folder: string): void {
  try {
    files.removeFolder(folder);
  } catch (error) {
    if (!['ENOENT', 'ENOTEMPTY', 'EEXIST', 'ENOTDIR', 'EACCES', 'EPERM'].includes(systemCode(error) ?? '')) throw error;
  }
}

/** Returns whether an error means that the file system has no hard links (exFAT, some mounts). */
export function isLinkRefused(error: unknown): boolean {
  return ['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK', 'EINVAL'].includes(systemCode(error) ?? '');
}

/**
 * Creates a hard link, or a copy where there are no hard links. Throws `EEXIST` when the name is taken. `by`: temporary path for the copy,
 * which is renamed when complete.
 */
export async function linkOrCopy(
  files: FileSystem,
  names: { from: string; to: string; isSynced: boolean; by?: string },
): Promise<'link' | 'copy'> {
  try {
    files.link(names.from, names.to);
    return 'link';
  } catch (error) {
    if (!isLinkRefused(error) && systemCode(error) !== 'EXDEV') throw error;
    const found = files.read(names.from);
    if (found === null) throw error;
    if (names.by !== undefined) removeIfThere(files, names.by);
    await writeNewFile(files, { path: names.by ?? names.to, bytes: found.bytes, like: found.state, isSynced: names.isSynced });
    if (names.by !== undefined) files.rename(names.by, names.to);
    return 'copy';
  }
}

function copyAttributes(file: OpenFile, like: Pick<FileState, 'mode' | 'uid' | 'gid'>): void {
  try {
    file.setOwner(like);
  } catch (error) {
    // Only root can change the owner; a group member's write keeps the group.
    if (!['EPERM', 'EINVAL', 'ENOSYS', 'ENOTSUP'].includes(systemCode(error) ?? '')) throw error;
  }
  try {
    file.setMode(like.mode);
  } catch (error) {
    if (!['EPERM', 'ENOSYS', 'ENOTSUP'].includes(systemCode(error) ?? '')) throw error;
  }
}
