import { RouxError, systemCode } from '../errors.ts';
import type { FileState, FileSystem } from './file-system.ts';

/** How a staged file shall look beside its bytes. */
export interface StagedFile {
  readonly path: string;
  readonly bytes: Uint8Array;
  /** Null: the default for new files. */
  readonly like: Pick<FileState, 'mode' | 'uid' | 'gid'> | null;
  readonly isSynced: boolean;
}

/** Writes a new file whole: exclusive, every byte, synced, its size checked. On failure nothing is left. */
export async function writeNewFile(files: FileSystem, staged: StagedFile): Promise<void> {
  const file = await files.create(staged.path, 0o666);
  try {
    try {
      await writeAll(file, staged.bytes);
      if (staged.like !== null) await copyLook(file, staged.like);
      if (staged.isSynced) await file.sync();
    } finally {
      await file.close();
    }
    const state = await files.stat(staged.path);
    if (state?.size !== staged.bytes.length) {
      throw new RouxError('IO_ERROR', `${staged.path} holds ${state?.size ?? 0} bytes after writing ${staged.bytes.length}.`, {
        path: staged.path,
      });
    }
  } catch (error) {
    await removeIfThere(files, staged.path).catch(() => undefined);
    throw error;
  }
}

/** Writes until every byte went in: a filling disk takes a part of them and reports success. */
export async function writeAll(file: { write(bytes: Uint8Array): Promise<number> }, bytes: Uint8Array): Promise<void> {
  let offset = 0;
  while (offset < bytes.length) {
    const count = await file.write(bytes.subarray(offset));
    if (count <= 0) throw new RouxError('IO_ERROR', 'The disk takes no more bytes.');
    offset += count;
  }
}

/** Removes a file; not there is fine. */
export async function removeIfThere(files: FileSystem, path: string): Promise<boolean> {
  try {
    await files.remove(path);
    return true;
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return false;
    throw error;
  }
}

/** Makes a folder and those above it below `root`; returns those that were made, outermost first. */
export async function makeFolders(files: FileSystem, root: string, folder: string): Promise<readonly string[]> {
  const missing: string[] = [];
  for (let path = folder; path !== root && path.startsWith(`${root}/`); path = path.slice(0, path.lastIndexOf('/'))) {
    if ((await files.stat(path)) !== null) break;
    missing.unshift(path);
  }
  const made: string[] = [];
  for (const path of missing) {
    try {
      await files.makeFolder(path);
      made.push(path);
    } catch (error) {
      if (systemCode(error) !== 'EEXIST') throw error;
    }
  }
  return made;
}

/** Whether a failure means that the file system has no hard links (exFAT, some mounts). */
export function isLinkRefused(error: unknown): boolean {
  return ['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK', 'EINVAL'].includes(systemCode(error) ?? '');
}

/** Gives a second name to a file, or a copy of it where there are no hard links. `EEXIST` when the name is taken. */
export async function linkOrCopy(files: FileSystem, names: { from: string; to: string; isSynced: boolean }): Promise<'link' | 'copy'> {
  try {
    await files.link(names.from, names.to);
    return 'link';
  } catch (error) {
    if (!isLinkRefused(error) && systemCode(error) !== 'EXDEV') throw error;
    const [bytes, like] = [await files.read(names.from), await files.stat(names.from)];
    if (bytes === null || like === null) throw error;
    await writeNewFile(files, { path: names.to, bytes, like, isSynced: names.isSynced });
    return 'copy';
  }
}

async function copyLook(
  file: { setMode(mode: number): Promise<void>; setOwner(owner: { uid: number; gid: number }): Promise<void> },
  like: Pick<FileState, 'mode' | 'uid' | 'gid'>,
): Promise<void> {
  try {
    await file.setOwner(like);
  } catch (error) {
    // Only root may give a file away; a group member's write keeps the group out of it.
    if (!['EPERM', 'EINVAL', 'ENOSYS', 'ENOTSUP'].includes(systemCode(error) ?? '')) throw error;
  }
  try {
    await file.setMode(like.mode);
  } catch (error) {
    if (!['EPERM', 'ENOSYS', 'ENOTSUP'].includes(systemCode(error) ?? '')) throw error;
  }
}
