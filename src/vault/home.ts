import { makeFolders, writeNewFile } from '../disk/atomic.ts';
import type { FileSystem } from '../disk/file-system.ts';

/** What a fresh `.roux` says to git: history and trash may be kept, the rest is this machine's. */
export const homeFiles: Readonly<Record<string, string>> = {
  '.gitignore': 'cache/\njournal/\ntmp/\nlock/\nrun/\nhistory/keys/\nhistory/batches/\n',
  '.gitattributes': 'history/*.jsonl merge=union\n',
};

/** Folders of `.roux` that writing needs. */
const folders: readonly string[] = ['journal', 'tmp', 'history', 'history/keys', 'history/batches'];

/** Every folder of `.roux`, parents first. */
const allFolders: readonly string[] = [
  '',
  '/cache',
  '/history',
  '/history/keys',
  '/history/batches',
  '/journal',
  '/journal/rejected',
  '/lock',
  '/run',
  '/tmp',
  '/trash',
];

/**
 * Puts aside what stands where a folder of roux belongs and is none: a link would lead its writing and clearing up elsewhere.
 * Nothing is followed and nothing removed; returns reports for people.
 */
export async function clearHome(files: FileSystem, root: string, newId: () => string): Promise<readonly string[]> {
  const reports: string[] = [];
  for (const name of allFolders) {
    const path = `.roux${name}`;
    const kind = (await files.stat(`${root}/${path}`))?.kind ?? 'folder';
    if (kind === 'folder') continue;
    const aside = `${path}.rejected-${newId()}`;
    await files.rename(`${root}/${path}`, `${root}/${aside}`);
    reports.push(
      `${path} was ${kind === 'link' ? 'a symbolic link' : 'no folder'}, and roux follows none there; it is now ${aside}, and ${path} is made anew.`,
    );
  }
  return reports;
}

/** Makes roux's own folders where they are missing: on the first write, and when somebody removed them. */
export async function makeHome(files: FileSystem, options: { root: string; isSynced: boolean }): Promise<void> {
  const { root, isSynced } = options;
  const home = `${root}/.roux`;
  const made: string[] = [];
  for (const name of folders) made.push(...(await makeFolders(files, root, `${home}/${name}`)));
  if (made.length === 0) return;
  for (const [name, text] of Object.entries(homeFiles)) {
    if ((await files.stat(`${home}/${name}`)) !== null) continue;
    await writeNewFile(files, { path: `${home}/${name}`, bytes: Buffer.from(text), like: null, isSynced });
  }
  if (!isSynced) return;
  for (const parent of new Set([root, home, ...made.map((path) => path.slice(0, path.lastIndexOf('/')))])) await files.syncFolder(parent);
}
