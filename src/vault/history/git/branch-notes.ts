import { readBranches, readBranchFiles } from '../../../git/branches.ts';
import { findCheckout } from '../../../git/worktrees.ts';
import { runExclusively } from './git-states.ts';

/** A note as another branch has it. */
export interface BranchNote {
  readonly branch: string;
  /** Path in the vault. */
  readonly path: string;
  readonly text: string;
}

/**
 * Returns a function that reads the notes of a folder that other branches changed. They are read again when a branch has moved; none where
 * the vault is in no repository of its own.
 */
export function createBranchNotes(root: string): (folder: string) => Promise<readonly BranchNote[]> {
  let known: { readonly key: string; readonly notes: Promise<readonly BranchNote[]> } | null = null;
  return async (folder) => {
    const checkout = findCheckout(root);
    if (checkout === null) return [];
    const branches = readBranches(checkout);
    const key = JSON.stringify([folder, [...branches]]);
    if (known?.key === key) return await known.notes;
    const notes = runExclusively(async () => {
      const files = await readBranchFiles(checkout, branches, { vault: root, folder });
      const below = folder === '' ? '' : `${folder}/`;
      return files.map(({ branch, path, bytes }) => ({ branch, path: below + path, text: bytes.toString('utf8') }));
    });
    known = { key, notes };
    // A repository that cannot be read now may be readable later.
    notes.catch(() => (known = null));
    return await notes;
  };
}
