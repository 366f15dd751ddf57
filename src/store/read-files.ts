import { isIgnoredName, isTooFar, joinPath } from '../note/path.ts';
import type { FileReader } from './folder/file-system.ts';
import { findFile, checkVaultPath } from './folder/find-file.ts';
import { hashOf } from './folder/hash.ts';
import { readStable } from './folder/read-stable.ts';
import { toStoreError } from './folder/system-error.ts';
import type { ReadOptions, StoredFile } from './store.ts';

/** Reads a file that is not in the middle of a save; null when there is none. */
export async function readFile(
  files: FileReader,
  path: string,
  { known = null, large = 'read', maxBytes }: ReadOptions = {},
): Promise<StoredFile | null> {
  try {
    checkVaultPath(path);
    const isKnown = (hash: string): boolean => hash === known;
    // Nearly every path is the file itself; only a missing one may be behind a link.
    const plain = await readStable(files, { path, isKnown, large, maxBytes });
    if (plain !== null) return Object.assign(plain, { path, isLinked: false });
    const file = findFile(files, path);
    const found = file === null ? null : await readStable(files, { path: file.path, isKnown, large, maxBytes });
    return file === null || found === null ? null : Object.assign(found, { path: file.path, isLinked: file.isLinked });
  } catch (error) {
    throw toStoreError(error);
  }
}

/** Yields every file that is not hidden, in folder order, with its hash. */
export async function* listFiles(files: FileReader, prefix = ''): AsyncGenerator<{ readonly path: string; readonly hash: string }> {
  for (const path of pathsBelow(files, '')) {
    const found = path.startsWith(prefix) ? files.read(path) : null;
    if (found !== null) yield { path, hash: hashOf(found.bytes) };
  }
}

function* pathsBelow(files: FileReader, folder: string): Generator<string> {
  for (const { name, kind } of files.list(folder) ?? []) {
    if (isIgnoredName(name)) continue;
    const path = joinPath(folder, name);
    if (isTooFar(path)) continue;
    if (kind === 'folder') yield* pathsBelow(files, path);
    else if (kind === 'file') yield path;
  }
}
