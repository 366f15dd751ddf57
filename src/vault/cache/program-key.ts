import { createHash } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import type { Disk } from '../../disk/disk.ts';

/** The code that reads notes, as a short text that changes with it: a version number would not while somebody works on it. */
export function programKey(disk: Disk): string {
  const key = createHash('sha256');
  const stamp = readStamp(disk);
  if (stamp !== null) key.update(stamp);
  else {
    for (const folder of foldersBelow(disk, [
      fileURLToPath(new URL('../../note', import.meta.url)),
      fileURLToPath(new URL('../../graph', import.meta.url)),
    ])) {
      for (const { name } of disk.list(folder).toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
        const stat = disk.stat(`${folder}/${name}`);
        key.update(`${name} ${stat?.size} ${stat?.mtimeNs}\n`);
      }
    }
  }
  return key.digest('hex').slice(0, 16);
}

/** These folders and all below them. */
function foldersBelow(disk: Disk, folders: readonly string[]): readonly string[] {
  return folders.flatMap((folder) => {
    const below = disk.list(folder).flatMap(({ name, kind }) => (kind === 'folder' ? [`${folder}/${name}`] : []));
    return [folder, ...foldersBelow(disk, below.toSorted())];
  });
}

/** What the build left beside its files: a hash of all sources. The program is at the top of them, the library one below. */
function readStamp(disk: Disk): Buffer | null {
  if (import.meta.url.endsWith('.ts')) return null;
  for (const place of ['./.stamp', '../../.stamp']) {
    const bytes = disk.read(fileURLToPath(new URL(place, import.meta.url)))?.bytes;
    if (bytes !== undefined) return Buffer.from(bytes);
  }
  return null;
}
