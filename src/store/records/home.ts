import { systemCode } from '../../errors.ts';
import { folderOf, joinPath } from '../../note/path.ts';
import type { FileSystem } from '../folder/file-system.ts';
import { listAllowed } from '../folder/read-allowed.ts';
import { makeFolders, writeNewFile } from '../folder/write-file.ts';
import { timeOfId } from './id-time.ts';

/** roux's own folder in a vault. */
export const HOME = '.roux';

/** What a fresh `.roux` says to git: history and trash may be kept, the rest is this machine's. */
export const homeFiles: Readonly<Record<string, string>> = {
  '.gitignore': 'cache/\njournal/\ntmp/\nlock/\nrun/\nshared.jsonl*\nhistory/keys/\nhistory/batches/\n*.rejected-*\n',
  '.gitattributes': 'history/*.jsonl merge=union\n',
};

/** Folders of `.roux` that writing needs. */
const neededFolders = ['journal', 'history', 'history/keys', 'history/batches', 'tmp'].map((name) => `${HOME}/${name}`);
/** Made when the others are on the medium, so that it is missing while they may be lost; what it holds is for an instant. */
const lastFolder = `${HOME}/tmp`;

/** Every folder of `.roux`, parents first. */
const ownFolders = [
  HOME,
  ...['cache', 'history', 'history/keys', 'history/batches', 'journal', 'journal/rejected', 'lock', 'run', 'tmp', 'trash'].map(
    (name) => `${HOME}/${name}`,
  ),
];

/**
 * Puts aside what stands where a folder of roux belongs and is none, or one that nobody may use: a link would lead its
 * writing and clearing up elsewhere, and without rights to its folders a vault could not be written to.
 * Nothing is followed and nothing removed; returns reports for people.
 */
export function clearHome(files: FileSystem, newId: () => string): readonly string[] {
  const reports: string[] = [];
  for (const path of ownFolders) {
    const state = files.stat(path);
    if (state === null || (state.kind === 'folder' && (state.mode & OWNERS_RIGHTS) === OWNERS_RIGHTS)) continue;
    const aside = `${path}${ASIDE}${newId()}`;
    files.rename(path, aside);
    const what = { link: 'a symbolic link', folder: 'a folder without rights', file: 'a file', other: 'a pipe or device' }[state.kind];
    reports.push(`${path} was ${what}, which roux does not use there; it is now ${aside}, and ${path} is made anew.`);
  }
  return reports;
}

/** Makes an existing `.roux` private, which those of earlier versions are not: notes that nobody else may read have copies in it. */
export function protectHome(files: FileSystem): void {
  try {
    files.makePrivate(HOME);
  } catch (error) {
    // On a medium that cannot be written to, or keeps no rights, everything is as its owner mounted it.
    if (!['EPERM', 'EACCES', 'EROFS', 'ENOTSUP', 'ENOSYS'].includes(systemCode(error) ?? '')) throw error;
  }
}

const ASIDE = '.rejected-';
/** What the owner of a folder needs to use it; one system does not tell of the right to pass. */
const OWNERS_RIGHTS = process.platform === 'win32' ? 0o600 : 0o700;

/** What `clearHome` has put aside, and nobody has removed since. */
export function listAside(files: Pick<FileSystem, 'list'>): readonly string[] {
  const parents = new Set(ownFolders.map(folderOf));
  return [...parents].flatMap((parent) =>
    listAllowed(files, parent).flatMap(({ name }) => {
      const path = joinPath(parent, name);
      const [own = '', id = ''] = path.split(ASIDE);
      return ownFolders.includes(own) && timeOfId(id) !== null ? [path] : [];
    }),
  );
}

/** Makes roux's own folders where they are missing: on the first write, and when somebody removed them. */
export async function makeHome(files: FileSystem, isSynced: boolean): Promise<void> {
  if (isWhole(files)) return;
  for (const folder of neededFolders) if (folder !== lastFolder) makeFolders(files, folder);
  await writeHomeFiles(files, isSynced);
  // Also what somebody else has made, and was killed before it was on the medium.
  if (isSynced) for (const parent of new Set(['', ...neededFolders.map(folderOf)])) await files.syncFolder(parent);
  makeFolders(files, lastFolder);
  if (isSynced) await files.syncFolder(HOME);
}

/** Listing two folders costs less than asking for five. */
function isWhole(files: FileSystem): boolean {
  const foldersIn = (folder: string): readonly string[] =>
    (files.list(folder) ?? []).flatMap(({ name, kind }) => (kind === 'folder' ? [`${folder}/${name}`] : []));
  const there = new Set([...foldersIn(HOME), ...foldersIn(`${HOME}/history`)]);
  return neededFolders.every((folder) => there.has(folder));
}

/** Writes the files of a fresh `.roux` that are missing. */
export async function writeHomeFiles(files: FileSystem, isSynced: boolean): Promise<void> {
  for (const [name, text] of Object.entries(homeFiles)) {
    if (files.stat(`${HOME}/${name}`) === null)
      await writeNewFile(files, { path: `${HOME}/${name}`, bytes: Buffer.from(text), like: null, isSynced });
  }
}
