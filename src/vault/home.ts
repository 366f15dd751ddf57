import { makeFolders, writeNewFile } from '../disk/atomic.ts';
import type { FileSystem } from '../disk/file-system.ts';

/** What a fresh `.roux` says to git: history and trash may be kept, the rest is this machine's. */
export const homeFiles: Readonly<Record<string, string>> = {
  '.gitignore': 'cache/\njournal/\ntmp/\nlock/\nrun/\nhistory/keys/\nhistory/batches/\n',
  '.gitattributes': 'history/*.jsonl merge=union\n',
};

/** Folders of `.roux` that writing needs. */
const folders: readonly string[] = ['journal', 'tmp', 'history', 'history/keys', 'history/batches'];

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
