import { folderOf } from '../../../note/path.ts';
import { forEachConcurrent } from '../../for-each-concurrent.ts';
import type { FileSystem } from '../../folder/file-system.ts';
import { CHECKPOINT_PATH } from '../checkpoint/checkpoint.ts';
import { listInventory } from './inventory.ts';

/** Brings every file of a working copy, and its mark, to the medium, one by one: where a system cannot do it for all of them. */
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
