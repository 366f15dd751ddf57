import { createHash } from 'node:crypto';
import { existsSync, realpathSync, renameSync, statSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Returns a key for what is stored about a folder outside of it. The key identifies the folder by its inode and birth time, not by its
 * path: a moved vault keeps its data, and another vault at the old path does not get it. On file systems without birth times, the path is
 * used instead.
 */
export function folderKey(folder: string): string {
  const root = realpathSync.native(folder);
  const { ino, birthtimeNs } = statSync(root, { bigint: true });
  return digest(`${ino} ${birthtimeNs > 0n ? birthtimeNs : root}`);
}

/** Returns the name of a folder's file in `place`. If an earlier version named it by the folder's path, renames it first. */
export function migrateFileName(place: string, folder: string, ending: string): string {
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
