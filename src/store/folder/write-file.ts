import { RouxError, systemCode } from '../../errors.ts';
import { folderOf } from '../../note/path.ts';
import { eachOf } from '../each-of.ts';
import { PRIVATE_FILE } from './file-system.ts';
import type { FileState, FileSystem, OpenFile } from './file-system.ts';

/** A file to be made, and how it shall look beside its bytes. */
export interface NewFile {
  readonly path: string;
  readonly bytes: Uint8Array;
  /** Null: the default for new files. */
  readonly like: Pick<FileState, 'mode' | 'uid' | 'gid'> | null;
  readonly isSynced: boolean;
  /** It will be a file of the vault under another name: a file in `.roux` is private otherwise. */
  readonly isImage?: boolean;
}

/** Whether a path is `.roux` or in it. */
function isOwn(path: string): boolean {
  return path === '.roux' || path.startsWith('.roux/');
}

/** Writes a new file whole: exclusive, every byte, synced, its size checked. On failure nothing is left. Returns the state that it was left in. */
export async function writeNewFile(files: FileSystem, wanted: NewFile): Promise<FileState> {
  const [state] = await writeNewFiles(files, [wanted]);
  return state!;
}

/** So many files are written before they are synced: they stay open for so long. */
const MAX_OPEN = 128;

/**
 * Writes new files as `writeNewFile` does, many of them before the first is synced: names that are made while others are put
 * on the medium wait for that each time. On failure none is left. `onWritten` hears of each that is whole.
 */
export async function writeNewFiles(
  files: FileSystem,
  wanted: readonly NewFile[],
  { signal, onWritten }: { readonly signal?: AbortSignal | undefined; readonly onWritten?: (done: number) => void } = {},
): Promise<readonly FileState[]> {
  const states: FileState[] = [];
  const made: string[] = [];
  let done = 0;
  try {
    for (let start = 0; start < wanted.length; start += MAX_OPEN) {
      const some = wanted.slice(start, start + MAX_OPEN);
      const open: OpenFile[] = [];
      try {
        for (const one of some) {
          signal?.throwIfAborted();
          const file = files.create(one.path, isOwn(one.path) && one.isImage !== true && one.like === null ? PRIVATE_FILE : 0o666);
          open.push(file);
          made.push(one.path);
          writeAll(file, one.bytes);
          if (one.like !== null) copyLook(file, one.like);
        }
        await eachOf(some, async ({ path, bytes, isSynced }, index) => {
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
    for (const path of made) removeWhatIsLeft(files, path);
    throw error;
  }
}

/** Writes until every byte went in: a filling disk takes a part of them and reports success. */
export function writeAll(file: Pick<OpenFile, 'write'>, bytes: Uint8Array): void {
  let offset = 0;
  while (offset < bytes.length) {
    const count = file.write(bytes.subarray(offset));
    if (count <= 0) throw new RouxError('IO_ERROR', 'The disk takes no more bytes.');
    offset += count;
  }
}

/** Removes a file; not there is fine. */
export function removeIfThere(files: FileSystem, path: string): boolean {
  try {
    files.remove(path);
    return true;
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return false;
    throw error;
  }
}

function removeWhatIsLeft(files: FileSystem, path: string): void {
  try {
    files.remove(path);
  } catch {
    // The failure that led here is the one to tell.
  }
}

/** Makes a folder and those above it; returns those that were made, outermost first. */
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

/** Removes a folder and those below it, as far as they hold nothing else. */
export function removeIfEmpty(files: FileSystem, folder: string): void {
  for (const { name, kind } of files.list(folder) ?? []) if (kind === 'folder') removeIfEmpty(files, `${folder}/${name}`);
  removeOnlyIfEmpty(files, folder);
}

/** Removes a folder that holds nothing, no empty folder either. */
export function removeOnlyIfEmpty(files: FileSystem, folder: string): void {
  try {
    files.removeFolder(folder);
  } catch (error) {
    if (!['ENOENT', 'ENOTEMPTY', 'EEXIST', 'ENOTDIR', 'EACCES', 'EPERM'].includes(systemCode(error) ?? '')) throw error;
  }
}

/** Whether a failure means that the file system has no hard links (exFAT, some mounts). */
export function isLinkRefused(error: unknown): boolean {
  return ['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK', 'EINVAL'].includes(systemCode(error) ?? '');
}

/** Gives a second name to a file, or a copy of it where there are no hard links. `EEXIST` when the name is taken. `by`: a copy is made there and takes the name when it is whole. */
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

function copyLook(file: OpenFile, like: Pick<FileState, 'mode' | 'uid' | 'gid'>): void {
  try {
    file.setOwner(like);
  } catch (error) {
    // Only root may give a file away; a group member's write keeps the group out of it.
    if (!['EPERM', 'EINVAL', 'ENOSYS', 'ENOTSUP'].includes(systemCode(error) ?? '')) throw error;
  }
  try {
    file.setMode(like.mode);
  } catch (error) {
    if (!['EPERM', 'ENOSYS', 'ENOTSUP'].includes(systemCode(error) ?? '')) throw error;
  }
}
