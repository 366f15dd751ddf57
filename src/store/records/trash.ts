import { RouxError, systemCode } from '../../errors.ts';
import { folderOf, foldKey, isVaultPath, joinPath } from '../../note/path.ts';
import type { FileState, FileSystem } from '../folder/file-system.ts';
import { listAllowed } from '../folder/system-error.ts';
import { timeOfId } from './id-time.ts';

/** A deleted file that can be restored. */
export interface TrashEntry {
  /** Reference that `restore` takes: batch id and path. */
  readonly ref: string;
  readonly batch: string;
  /** Its path before it was deleted. */
  readonly path: string;
  /** Its vault-relative path in the trash. */
  readonly file: string;
  /** In bytes. */
  readonly size: number;
  /** ISO 8601; null for files that roux did not put there. */
  readonly removedAt: string | null;
}

/** Folder of deleted files, with a subfolder for each batch. */
export const TRASH = '.roux/trash';

/** Lists all deleted files, most recently deleted first, then by path. */
export function listTrash(files: FileSystem): readonly TrashEntry[] {
  return listAllowed(files, TRASH)
    .toReversed()
    .flatMap(({ name: batch, kind }) => {
      const removed = timeOfId(batch);
      const removedAt = removed === null ? null : new Date(removed).toISOString();
      const kept = kind === 'folder' ? listBelow(files, `${TRASH}/${batch}`, '') : [];
      return kept.map(({ path, size }) => ({ ref: `${batch}/${path}`, batch, path, file: `${TRASH}/${batch}/${path}`, size, removedAt }));
    });
}

/**
 * Finds the entries for a reference: a batch id (all its files), a `ref`, or a path with or without `.md` (the most recently deleted).
 * Throws `NODE_NOT_FOUND` or `AMBIGUOUS`.
 */
export function findInTrash(files: FileSystem, reference: string): readonly TrashEntry[] {
  return findRemoved(listTrash(files), reference);
}

/** Finds the entries for a reference in a given list. */
export function findRemoved(entries: readonly TrashEntry[], reference: string): readonly TrashEntry[] {
  const ofBatch = entries.filter((entry) => entry.batch === reference);
  if (ofBatch.length > 0) return ofBatch;
  const key = foldKey(reference);
  const byName = entries.find(({ ref, path }) => foldKey(ref) === key || foldKey(path) === key || foldKey(path) === `${key}.md`);
  if (byName !== undefined) return [byName];
  const bySuffix = entries.filter(({ path }) => foldKey(path).endsWith(`/${key}`) || foldKey(path).endsWith(`/${key}.md`));
  const paths = [...new Set(bySuffix.map(({ path }) => path))];
  if (paths.length > 1) throw new RouxError('AMBIGUOUS', `${JSON.stringify(reference)} fits several removed notes.`, { candidates: paths });
  if (bySuffix[0] === undefined)
    throw new RouxError('NODE_NOT_FOUND', `${JSON.stringify(reference)} is not in the trash.`, { id: reference });
  return [bySuffix[0]];
}

/** Returns the bytes and state of a deleted file. Throws `NODE_NOT_FOUND` when it is no longer there, `TOO_LARGE` when it has more than 64 MB. */
export function readFromTrash(files: FileSystem, entry: TrashEntry): { readonly bytes: Buffer; readonly like: FileState } {
  let found;
  try {
    found = files.read(entry.file);
  } catch (error) {
    if (systemCode(error) !== 'EFBIG') throw error;
    const message = `${entry.path} has ${entry.size} bytes, too many for roux to bring it back. Move it by hand from ${entry.file} to where it was.`;
    throw new RouxError('TOO_LARGE', message, { path: entry.path, size: entry.size });
  }
  if (found === null) throw new RouxError('NODE_NOT_FOUND', `${entry.ref} is not in the trash any more.`, { id: entry.ref });
  return { bytes: found.bytes, like: found.state };
}

/**
 * Removes files from the trash, and folders that become empty; looks at each folder once. `keep` may move a file elsewhere and return true,
 * so that it is not deleted.
 */
export function removeFromTrash(
  files: FileSystem,
  entries: readonly TrashEntry[],
  keep: (entry: TrashEntry) => boolean = () => false,
): void {
  const folders = new Set<string>();
  for (const entry of entries) {
    const { file } = entry;
    if (!keep(entry)) files.remove(file);
    for (let folder = folderOf(file); folder.length > TRASH.length && !folders.has(folder); folder = folderOf(folder)) folders.add(folder);
  }
  // Children before parents.
  for (const folder of [...folders].toSorted((a, b) => b.length - a.length)) {
    if (files.list(folder)?.length === 0) files.removeFolder(folder);
  }
}

function listBelow(files: FileSystem, folder: string, under: string): readonly { path: string; size: number }[] {
  return listAllowed(files, under === '' ? folder : `${folder}/${under}`).flatMap(({ name, kind }) => {
    const path = joinPath(under, name);
    // roux only puts vault paths here. Anything else came with the folder and has no place to be restored to.
    if (!isVaultPath(path)) return [];
    if (kind === 'folder') return listBelow(files, folder, path);
    return kind === 'file' ? [{ path, size: files.stat(`${folder}/${path}`)?.size ?? 0 }] : [];
  });
}
