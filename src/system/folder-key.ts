import { createHash } from 'node:crypto';
import { existsSync, realpathSync, renameSync, statSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Names what this user's programs keep about a folder by the folder itself, its inode and its birth, and not by its path: another vault that
 * is put there later gets nothing of it, and one that is moved keeps it. Where the file system keeps no births, the path stands for them.
 */
export function folderKey(folder: string): string {
  const root = realpathSync.native(folder);
  const { ino, birthtimeNs } = statSync(root, { bigint: true });
  return digest(`${ino} ${birthtimeNs > 0n ? birthtimeNs : root}`);
}

/** Gives a file that an earlier version named by the path its name by the folder, once; returns that name. */
export function adoptFile(place: string, folder: string, ending: string): string {
  const name = `${folderKey(folder)}.${ending}`;
  const former = join(place, `${digest(realpathSync.native(folder))}.${ending}`);
  if (!existsSync(join(place, name)) && existsSync(former)) {
    renameSync(former, join(place, name));
  }
  return name;
}

function digest(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 32);
}
