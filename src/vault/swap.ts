import { systemCode } from '../errors.ts';
import { isLinkRefused, linkOrCopy, removeIfThere, writeNewFile } from '../disk/atomic.ts';
import { folderOf } from '../note/path.ts';
import { hashOf } from './content.ts';
import type { WriteGround } from './ground.ts';
import { absolute } from './ground.ts';

/** Gives a staged image its name in the vault. `EEXIST` when somebody else has made a file there. */
export async function placeNew(ground: WriteGround, names: { image: string; path: string; spare: string }): Promise<void> {
  const { files, isSynced } = ground;
  const target = absolute(ground, names.path);
  try {
    await files.link(names.image, target);
    return;
  } catch (error) {
    if (!isLinkRefused(error) && systemCode(error) !== 'EXDEV') throw error;
  }
  // Another device, or no hard links: a whole copy beside the target first, then its name.
  const beside = besideTarget(ground, names.path, names.spare);
  await copyTo(ground, names.image, beside);
  try {
    await files.link(beside, target);
  } catch (error) {
    if (!isLinkRefused(error)) throw error;
    if ((await files.stat(target)) !== null) throw Object.assign(new Error(`EEXIST: ${names.path}`), { code: 'EEXIST' });
    await files.rename(beside, target);
  } finally {
    await removeIfThere(files, beside);
  }
  if (isSynced) await files.syncFolder(`${ground.root}${names.path.includes('/') ? `/${folderOf(names.path)}` : ''}`);
}

/**
 * Puts a staged image in the place of a file, the displaced inode kept under `old`.
 * Returns the hash of what was displaced, which is another than expected when somebody saved in between;
 * null when the file there was no longer the one that was linked, so nothing was done.
 */
export async function swapIn(
  ground: WriteGround,
  names: { image: string; path: string; old: string; spare: string },
): Promise<string | null> {
  const { files } = ground;
  const target = absolute(ground, names.path);
  const temporary = `${ground.root}/.roux/tmp/${names.spare}`;
  await removeIfThere(files, names.old);
  await removeIfThere(files, temporary);
  let source = temporary;
  try {
    await linkOrCopy(files, { from: names.image, to: temporary, isSynced: ground.isSynced });
    const kind = await linkOrCopy(files, { from: target, to: names.old, isSynced: false });
    const [kept, standing] = [await files.stat(names.old), await files.stat(target)];
    if (standing === null || (kind === 'link' && kept?.ino !== standing.ino)) return null;
    try {
      await files.rename(temporary, target);
    } catch (error) {
      if (systemCode(error) !== 'EXDEV') throw error;
      source = besideTarget(ground, names.path, names.spare);
      await copyTo(ground, names.image, source);
      await files.rename(source, target);
    }
  } finally {
    await removeIfThere(files, temporary);
    if (source !== temporary) await removeIfThere(files, source);
  }
  const displaced = await files.read(names.old);
  return displaced === null ? null : hashOf(displaced);
}

/** Where a copy is staged beside its target, when it cannot be renamed from `.roux`. */
export function besideTarget(ground: Pick<WriteGround, 'root'>, path: string, spare: string): string {
  const folder = folderOf(path);
  return `${ground.root}/${folder === '' ? '' : `${folder}/`}.roux-${spare}`;
}

async function copyTo(ground: WriteGround, from: string, to: string): Promise<void> {
  await removeIfThere(ground.files, to);
  const [bytes, like] = [await ground.files.read(from), await ground.files.stat(from)];
  if (bytes === null || like === null) throw Object.assign(new Error(`ENOENT: ${from}`), { code: 'ENOENT', path: from });
  await writeNewFile(ground.files, { path: to, bytes, like, isSynced: ground.isSynced });
}
