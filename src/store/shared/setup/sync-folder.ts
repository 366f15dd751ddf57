import { folderOf } from '../../../note/path.ts';
import { forEachConcurrent } from '../../for-each-concurrent.ts';
import type { FileSystem } from '../../folder/file-system.ts';
import { STANDING } from '../standing/standing.ts';
import { takeStock } from './stock.ts';

/** Brings every file of a working copy, and its mark, to the medium, one by one: where a system cannot do it for all of them. */
export async function syncFolder(files: FileSystem): Promise<void> {
  const { paths } = takeStock(files);
  await forEachConcurrent([...paths, STANDING], async (path) => {
    const file = files.append(path);
    try {
      await file.sync();
    } finally {
      file.close();
    }
  });
  for (const folder of new Set(['', ...paths.map(folderOf), folderOf(STANDING)])) await files.syncFolder(folder);
}
