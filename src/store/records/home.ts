import { systemCode } from '../../errors.ts';
import { folderOf, joinPath } from '../../note/path.ts';
import { isSameState } from '../folder/file-system.ts';
import type { FileState, FileSystem } from '../folder/file-system.ts';
import { listAllowed } from '../folder/system-error.ts';
import { makeFolders, writeNewFile } from '../folder/write-file.ts';
import { timeOfId } from './id-time.ts';
import { RACY_MS } from './segments.ts';

/** roux's folder in a vault. */
export const HOME = '.roux';

/** Files of a new `.roux`. They tell git which files belong to this machine only; history and trash may be committed. */
export const homeFiles: Readonly<Record<string, string>> = {
  '.gitignore': 'cache/\njournal/\ntmp/\nlock/\nrun/\nshared.jsonl*\nhistory/keys/\nhistory/batches/\n*.rejected-*\n',
  '.gitattributes': 'history/*.jsonl merge=union\n',
};

const REJECTED_SUFFIX = '.rejected-';
/** Permissions that the owner needs on a folder; Windows reports no execute bit. */
const OWNER_RIGHTS = process.platform === 'win32' ? 0o600 : 0o700;

/** Folders that writing needs. */
const neededFolders = ['journal', 'history', 'history/keys', 'history/batches', 'tmp'].map((name) => `${HOME}/${name}`);
/** Made after the others are durable, so that its absence shows that they may not be. Its content is temporary. */
const lastFolder = `${HOME}/tmp`;
/** The folders that hold them. */
const parentFolders = [...new Set(neededFolders.map(folderOf))];
const HISTORY_AT = parentFolders.indexOf(`${HOME}/history`);

/** All folders of `.roux`, parents first. */
const ownFolders = [
  HOME,
  ...['cache', 'history', 'history/keys', 'history/batches', 'journal', 'journal/rejected', 'lock', 'run', 'tmp', 'trash'].map(
    (name) => `${HOME}/${name}`,
  ),
];

/**
 * Renames whatever occupies the place of one of roux's folders but is not a usable folder: a link would redirect roux's writes and
 * deletions, and a folder without permissions would block all writes. Follows and removes nothing. Returns reports for people.
 */
export function clearHome(files: FileSystem, newId: () => string): readonly string[] {
  const reports: string[] = [];
  for (const path of ownFolders) {
    const state = files.stat(path);
    if (state === null || (state.kind === 'folder' && (state.mode & OWNER_RIGHTS) === OWNER_RIGHTS)) continue;
    const target = `${path}${REJECTED_SUFFIX}${newId()}`;
    files.rename(path, target);
    const what = { link: 'a symbolic link', folder: 'a folder without rights', file: 'a file', other: 'a pipe or device' }[state.kind];
    reports.push(`${path} was ${what}, which roux does not use there; it is now ${target}, and ${path} is made anew.`);
  }
  return reports;
}

/** Makes an existing `.roux` private. Earlier versions did not, and it holds copies of notes that may be private. */
export function protectHome(files: FileSystem): void {
  try {
    files.makePrivate(HOME);
  } catch (error) {
    // A read-only medium, or one without permissions, stays as its owner mounted it.
    if (!['EPERM', 'EACCES', 'EROFS', 'ENOTSUP', 'ENOSYS'].includes(systemCode(error) ?? '')) throw error;
  }
}

/** Lists what `clearHome` renamed and nobody has removed since. */
export function listObstacles(files: Pick<FileSystem, 'list'>): readonly string[] {
  const parents = new Set(ownFolders.map(folderOf));
  return [...parents].flatMap((parent) =>
    listAllowed(files, parent).flatMap(({ name }) => {
      const path = joinPath(parent, name);
      const [own = '', id = ''] = path.split(REJECTED_SUFFIX);
      return ownFolders.includes(own) && timeOfId(id) !== null ? [path] : [];
    }),
  );
}

/** Makes roux's folders if any is missing: on the first write, or after someone removed them. */
export async function makeHome(files: FileSystem, isSynced: boolean): Promise<void> {
  if (isWhole(files)) return;
  for (const folder of neededFolders) if (folder !== lastFolder) makeFolders(files, folder);
  await writeHomeFiles(files, isSynced);
  // Synced even if another process made them, since that process may have been killed before it synced.
  if (isSynced) for (const parent of ['', ...parentFolders]) await files.syncFolder(parent);
  makeFolders(files, lastFolder);
  if (isSynced) await files.syncFolder(HOME);
}

/** roux's folders, for one that writes again and again. */
export class Home {
  /** The states of the folders that hold the needed ones, when all of these were there. */
  #seen: readonly FileState[] | null = null;

  /**
   * Like `makeHome`. Nothing is listed as long as no name in them has changed. Returns the state that the folder of the history had then;
   * null if something may have been made in it since.
   */
  async make(files: FileSystem, isSynced: boolean): Promise<FileState | null> {
    const now = parentFolders.flatMap((folder) => files.stat(folder) ?? []);
    const seen = this.#seen;
    if (seen !== null && now.length === seen.length && now.every((state, index) => isSameState(state, seen[index]!)))
      return now[HISTORY_AT]!;
    await makeHome(files, isSynced);
    const isReliable = now.every(({ mtimeNs }) => files.now() - Number(mtimeNs / 1_000_000n) > RACY_MS);
    this.#seen = isReliable && now.length === parentFolders.length ? now : null;
    return null;
  }
}

/** Lists two folders, which is cheaper than five `stat` calls. */
function isWhole(files: FileSystem): boolean {
  const foldersIn = (folder: string): readonly string[] =>
    (files.list(folder) ?? []).flatMap(({ name, kind }) => (kind === 'folder' ? [`${folder}/${name}`] : []));
  const there = new Set(parentFolders.flatMap(foldersIn));
  return neededFolders.every((folder) => there.has(folder));
}

/** Writes the missing files of a new `.roux`. */
export async function writeHomeFiles(files: FileSystem, isSynced: boolean): Promise<void> {
  for (const [name, text] of Object.entries(homeFiles)) {
    if (files.stat(`${HOME}/${name}`) === null)
      await writeNewFile(files, { path: `${HOME}/${name}`, bytes: Buffer.from(text), like: null, isSynced });
  }
}
