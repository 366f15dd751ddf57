import type { SharedChange } from '../shared-vault.ts';
import type { Edit } from '../../pair-moves.ts';

const MAX_LISTED = 5;

/** Returns changes that restore the missing files among edits, except where another file was moved to the name. */
export function planRestore(edits: readonly Edit[]): readonly SharedChange[] {
  const names = new Set(edits.flatMap(({ path, file }) => (file === null ? [] : [path])));
  return edits.flatMap(({ path, file, before }): readonly SharedChange[] =>
    file !== null || before === null || names.has(path)
      ? []
      : [{ op: 'create', path, oldPath: null, before: null, hash: before, size: 0, event: [] }],
  );
}

/** Returns the blocked change of a file that could not be restored: the store's version is as before. */
export function asUnrestored<T extends { readonly change: SharedChange }>(left: T): T {
  return { ...left, change: { ...left.change, op: 'update', before: left.change.hash } };
}

/** Returns the message about restored files. */
export function describeRestored(files: readonly Pick<SharedChange, 'path'>[]): readonly string[] {
  if (files.length === 0) return [];
  const names = files.slice(0, MAX_LISTED).map(({ path }) => path);
  const more = files.length > names.length ? ` and ${files.length - names.length} more` : '';
  return [`Files that were gone from the folder when it was opened are back from the store: ${names.join(', ')}${more}.`];
}
