import { folderOf } from '../../note/path.ts';
import type { FileSystem } from '../folder/file-system.ts';
import { makeFolders, writeNewFile } from '../folder/write-file.ts';

/** roux's own folder in a vault. */
export const HOME = '.roux';

/** What a fresh `.roux` says to git: history and trash may be kept, the rest is this machine's. */
export const homeFiles: Readonly<Record<string, string>> = {
  '.gitignore': 'cache/\njournal/\ntmp/\nlock/\nrun/\nhistory/keys/\nhistory/batches/\n*.rejected-*\n',
  '.gitattributes': 'history/*.jsonl merge=union\n',
};

/** Folders of `.roux` that writing needs. */
const neededFolders = ['journal', 'tmp', 'history', 'history/keys', 'history/batches'].map((name) => `${HOME}/${name}`);

/** Every folder of `.roux`, parents first. */
const ownFolders = [
  HOME,
  ...['cache', 'history', 'history/keys', 'history/batches', 'journal', 'journal/rejected', 'lock', 'run', 'tmp', 'trash'].map(
    (name) => `${HOME}/${name}`,
  ),
];

/**
 * Puts aside what stands where a folder of roux belongs and is none: a link would lead its writing and clearing up elsewhere.
 * Nothing is followed and nothing removed; returns reports for people.
 */
export function clearHome(files: FileSystem, newId: () => string): readonly string[] {
  const reports: string[] = [];
  for (const path of ownFolders) {
    const kind = files.stat(path)?.kind ?? 'folder';
    if (kind === 'folder') continue;
    const aside = `${path}.rejected-${newId()}`;
    files.rename(path, aside);
    const what = kind === 'link' ? 'a symbolic link' : 'no folder';
    reports.push(`${path} was ${what}, and roux follows none there; it is now ${aside}, and ${path} is made anew.`);
  }
  return reports;
}

/** Makes roux's own folders where they are missing: on the first write, and when somebody removed them. */
export async function makeHome(files: FileSystem, isSynced: boolean): Promise<void> {
  if (isWhole(files)) return;
  const made = neededFolders.flatMap((folder) => makeFolders(files, folder));
  if (made.length === 0) return;
  await writeHomeFiles(files, isSynced);
  if (!isSynced) return;
  for (const parent of new Set(['', HOME, ...made.map(folderOf)])) await files.syncFolder(parent);
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
