import { systemCode } from '../../errors.ts';
import { folderOf } from '../../note/path.ts';
import type { FileSystem } from '../folder/file-system.ts';
import { isLinkRefused, linkOrCopy, removeIfThere, writeNewFile } from '../folder/write-file.ts';
import { spareImage } from './journal.ts';
import type { UnderLock } from './under-lock.ts';

/** Folder of temporary files. */
export const TMP = '.roux/tmp';

/** The temporary names of a step. */
export interface SpareNames {
  /** In the journal. */
  readonly temporary: string;
  /** Beside a file that is on another device than `.roux`. */
  beside(path: string): string;
}

/** Returns the temporary names of a step. */
export function spareNames(id: string, step: number): SpareNames {
  return {
    temporary: spareImage(id, step),
    beside(path) {
      const folder = folderOf(path);
      return `${folder === '' ? '' : `${folder}/`}.roux-${id}.${step}`;
    },
  };
}

/** Returns whether a name in `.roux/tmp` is one that roux made. */
export function isSpareName(name: string): boolean {
  return /^[0-9a-z]{26}\.\d+$/.test(name);
}

/** Links a staged image to its path in the vault. Throws `EEXIST` when the path is taken. */
export async function linkNewFile(under: UnderLock, names: { image: string; path: string; spare: SpareNames }): Promise<void> {
  const { files, isSynced } = under;
  try {
    files.link(names.image, names.path);
    return;
  } catch (error) {
    if (!isLinkRefused(error) && systemCode(error) !== 'EXDEV') throw error;
  }
  // On another device, or without hard links: make a complete copy beside the target first, then give it the name.
  const beside = names.spare.beside(names.path);
  await copyTo(under, names.image, beside);
  try {
    files.link(beside, names.path);
  } catch (error) {
    if (!isLinkRefused(error)) throw error;
    if (files.stat(names.path) !== null) throw Object.assign(new Error(`EEXIST: ${names.path}`), { code: 'EEXIST' });
    files.rename(beside, names.path);
  } finally {
    removeIfThere(files, beside);
  }
  if (isSynced) await files.syncFolder(folderOf(names.path));
}

/**
 * Replaces a file by a staged image and moves the displaced inode to `old`. An editor may save until the last moment, so the caller must check
 * that inode afterwards. Returns false, with nothing changed, when the path no longer had the inode that was linked.
 */
export async function replaceFile(
  under: UnderLock,
  names: { image: string; path: string; old: string; spare: SpareNames },
): Promise<boolean> {
  const { files, isSynced } = under;
  const { temporary } = names.spare;
  await linkOrReplace(files, { from: names.image, to: temporary, isSynced });
  let left: string | null = temporary;
  try {
    const kind = await linkOrReplace(files, { from: names.path, to: names.old, isSynced, by: `${names.old}.part` });
    const [linked, current] = [files.stat(names.old), files.stat(names.path)];
    if (current === null || (kind === 'link' && linked?.ino !== current.ino)) {
      // Nothing was displaced, so `old` must not exist.
      removeIfThere(files, names.old);
      return false;
    }
    try {
      files.rename(temporary, names.path);
      left = null;
    } catch (error) {
      if (systemCode(error) !== 'EXDEV') throw error;
      removeIfThere(files, temporary);
      left = names.spare.beside(names.path);
      await copyTo(under, names.image, left);
      files.rename(left, names.path);
      left = null;
    }
    return true;
  } finally {
    if (left !== null) removeIfThere(files, left);
  }
}

/** Gives a file a second name, in place of what an earlier attempt left there. */
async function linkOrReplace(
  files: FileSystem,
  names: { from: string; to: string; isSynced: boolean; by?: string },
): Promise<'link' | 'copy'> {
  try {
    return await linkOrCopy(files, names);
  } catch (error) {
    if (systemCode(error) !== 'EEXIST') throw error;
    removeIfThere(files, names.to);
    return await linkOrCopy(files, names);
  }
}

async function copyTo({ files, isSynced }: UnderLock, from: string, to: string): Promise<void> {
  removeIfThere(files, to);
  const found = files.read(from);
  if (found === null) throw Object.assign(new Error(`ENOENT: ${from}`), { code: 'ENOENT', path: from });
  await writeNewFile(files, { path: to, bytes: found.bytes, like: found.state, isSynced });
}
