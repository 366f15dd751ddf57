import { existsSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { RouxError } from '../../errors.ts';

/** What marks the root of a vault. */
const MARKS = ['.rouxrc.json', '.obsidian'];

/** The vault that a command means: the named folder, else the nearest one upward that looks like a vault, else the current one. */
export function findVault(query: { readonly named: string | undefined; readonly cwd: string }): string {
  if (query.named !== undefined) return resolve(query.cwd, query.named);
  for (let folder = query.cwd; ; folder = dirname(folder)) {
    if (MARKS.some((mark) => existsSync(join(folder, mark)))) return folder;
    if (dirname(folder) === folder) return query.cwd;
  }
}

/** Refuses a vault that is no folder before anything is started for it. */
export function requireFolder(path: string): void {
  const found = statSync(path, { throwIfNoEntry: false });
  const what = found === undefined ? 'does not exist' : found.isDirectory() ? null : 'is not a folder';
  if (what !== null) throw new RouxError('VAULT_NOT_FOUND', `${path} ${what}; give the folder that holds your notes.`, { vault: path });
}
