import type { SharedChange } from '../shared-vault.ts';
import type { Edit } from '../../pair-moves.ts';

const MAX_LISTED = 5;

/** Of what is different in a folder the files that are not there, as changes that bring them back; not one whose name another file was moved to. */
export function planRestore(edits: readonly Edit[]): readonly SharedChange[] {
  const names = new Set(edits.flatMap(({ path, file }) => (file === null ? [] : [path])));
  return edits.flatMap(({ path, file, before }): readonly SharedChange[] =>
    file !== null || before === null || names.has(path)
      ? []
      : [{ op: 'create', path, oldPath: null, before: null, hash: before, size: 0, event: [] }],
  );
}

/** One of them that cannot be brought back: the store has of it what it had all the time. */
export function asUnrestored<T extends { readonly change: SharedChange }>(left: T): T {
  return { ...left, change: { ...left.change, op: 'update', before: left.change.hash } };
}

/** What people are told of those that are back. */
export function describeRestored(files: readonly Pick<SharedChange, 'path'>[]): readonly string[] {
  if (files.length === 0) return [];
  const names = files.slice(0, MAX_LISTED).map(({ path }) => path);
  const more = files.length > names.length ? ` and ${files.length - names.length} more` : '';
  return [`Files that were gone from the folder when it was opened are back from the store: ${names.join(', ')}${more}.`];
}
