import { folderOf } from '../../../note/path.ts';
import { forEachConcurrent } from '../../for-each-concurrent.ts';
import type { FileSystem } from '../../folder/file-system.ts';
import { CHECKPOINT_PATH } from '../checkpoint/checkpoint.ts';
import { listInventory } from './inventory.ts';

/** Syncs every file of a working copy and its checkpoint to the disk, one by one, where a system cannot sync all at once. */
export async function flushFolder(files: FileSystem): Promise<void> {
  const { paths } = listInventory(files);
  await forEachConcurrent([...paths, CHECKPOINT_PATH], async (path) => {
    const file = files.append(path);
    try {
      await file.sync();
    } finally {
      file.close();
    }
  });
  for (const folder of new Set(['', ...paths.map(folderOf), folderOf(CHECKPOINT_PATH)])) await files.syncFolder(folder);
}
