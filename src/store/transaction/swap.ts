import { systemCode } from '../../errors.ts';
import { folderOf } from '../../note/path.ts';
import { hashOf } from '../folder/hash.ts';
import { isLinkRefused, linkOrCopy, removeIfThere, writeNewFile } from '../folder/write-file.ts';
import type { UnderLock } from './under-lock.ts';

/** The names that a step uses for an instant. */
export interface SpareNames {
  /** In `.roux/tmp`. */
  readonly temporary: string;
  /** Beside a file that is on another device than `.roux`. */
  beside(path: string): string;
}

/** The spare names of a step. */
export function spareNames(id: string, step: number): SpareNames {
  return {
    temporary: `${TMP}/${id}.${step}`,
    beside(path) {
      const folder = folderOf(path);
      return `${folder === '' ? '' : `${folder}/`}.roux-${id}.${step}`;
    },
  };
}

/** Where steps keep what they need for an instant. */
export const TMP = '.roux/tmp';

/** Whether a name in `.roux/tmp` is one that a step uses. */
export function isSpareName(name: string): boolean {
  return /^[0-9a-z]{26}\.\d+$/.test(name);
}

/** Gives a staged image its name in the vault. `EEXIST` when somebody else has made a file there. */
export async function placeNew(under: UnderLock, names: { image: string; path: string; spare: SpareNames }): Promise<void> {
  const { files, isSynced } = under;
  try {
    files.link(names.image, names.path);
    return;
  } catch (error) {
    if (!isLinkRefused(error) && systemCode(error) !== 'EXDEV') throw error;
  }
  // Another device, or no hard links: a whole copy beside the target first, then its name.
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

/** What a swap displaced: its bytes now, which are others than expected when somebody saved in between. */
export interface Displaced {
  readonly bytes: Buffer;
  readonly hash: string;
}

/**
 * Puts a staged image in the place of a file, the displaced inode kept under `old`.
 * Null when the file there was no longer the one that was linked, so nothing was done.
 */
export async function swapIn(
  under: UnderLock,
  names: { image: string; path: string; old: string; spare: SpareNames },
): Promise<Displaced | null> {
  const { files, isSynced } = under;
  const { temporary } = names.spare;
  removeIfThere(files, names.old);
  removeIfThere(files, temporary);
  let source = temporary;
  try {
    await linkOrCopy(files, { from: names.image, to: temporary, isSynced });
    const kind = await linkOrCopy(files, { from: names.path, to: names.old, isSynced: false });
    const [kept, standing] = [files.stat(names.old), files.stat(names.path)];
    if (standing === null || (kind === 'link' && kept?.ino !== standing.ino)) return null;
    try {
      files.rename(temporary, names.path);
    } catch (error) {
      if (systemCode(error) !== 'EXDEV') throw error;
      source = names.spare.beside(names.path);
      await copyTo(under, names.image, source);
      files.rename(source, names.path);
    }
  } finally {
    removeIfThere(files, temporary);
    if (source !== temporary) removeIfThere(files, source);
  }
  const bytes = files.read(names.old)?.bytes;
  return bytes === undefined ? null : { bytes, hash: hashOf(bytes) };
}

async function copyTo({ files, isSynced }: UnderLock, from: string, to: string): Promise<void> {
  removeIfThere(files, to);
  const found = files.read(from);
  if (found === null) throw Object.assign(new Error(`ENOENT: ${from}`), { code: 'ENOENT', path: from });
  await writeNewFile(files, { path: to, bytes: found.bytes, like: found.state, isSynced });
}
