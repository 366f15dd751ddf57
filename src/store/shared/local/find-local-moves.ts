import { fileName, folderOf } from '../../../note/path.ts';
import type { FileSystem } from '../../folder/file-system.ts';
import { ifAllowed } from '../../folder/system-error.ts';
import type { HeldStore } from '../../transaction/transact.ts';
import type { SharedChange, SharedVault } from '../shared-vault.ts';
import { fetchContentsFrom } from './contents-in.ts';
import type { LocalChanges } from './local-changes.ts';

/**
 * Looks for local moves of the files that changes of the store are about, or to the names that they take. Returns whether a moved file is about
 * to change: its move has to be saved first, as a merged file is not recognised by its content any more.
 */
export async function findLocalMoves(
  {
    edits,
    files,
    held,
    shared,
  }: { readonly edits: LocalChanges; readonly files: Pick<FileSystem, 'hint'>; readonly held: HeldStore; readonly shared: SharedVault },
  changes: readonly SharedChange[],
): Promise<boolean> {
  const near = changes.flatMap(({ path, oldPath, before, hash }) => {
    const isTaken =
      hash !== null &&
      (before === null || oldPath !== null) &&
      (ifAllowed(() => files.hint(path), null) !== null || edits.mayCollide(path));
    return [path, ...(oldPath === null ? [] : [oldPath])].filter((name) => edits.mayHaveMoved(name) || (isTaken && name === path));
  });
  if (near.length === 0) return false;
  for (const path of near) edits.markDirty(folderOf(path), fileName(path));
  await edits.find(held.read, fetchContentsFrom(shared));
  const names = new Set(changes.flatMap(({ path, oldPath }) => oldPath ?? path));
  return [...edits.moves.values()].some((from) => names.has(from));
}
