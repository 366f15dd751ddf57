import { fileName, folderOf } from '../../../note/path.ts';
import type { FileSystem } from '../../folder/file-system.ts';
import { ifAllowed } from '../../folder/read-allowed.ts';
import type { HeldStore } from '../../transaction/transact.ts';
import type { SharedChange, SharedVault } from '../shared-vault.ts';
import { fetchContentsFrom } from './contents-in.ts';
import type { LocalChanges } from './local-changes.ts';

/**
 * Finds what somebody moved here, where changes of the store are about such a file, or about a name that it was given: they are put in
 * place where the file is. Gives whether they are about one that was found: that is to be noted before, as what is merged into a file is
 * no longer known by its bytes.
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
