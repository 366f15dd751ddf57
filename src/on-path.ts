import { accessSync, constants, realpathSync, statSync } from 'node:fs';
import { delimiter, isAbsolute, join, relative, sep } from 'node:path';

/** Finds a program on the PATH, in a folder outside of the vault, whose own files must never be run. Returns its absolute path, or null. */
export function findProgram(name: string, { vault }: { readonly vault: string }): string | null {
  const found = searchedFolders()
    .filter((folder) => isAbsolute(folder) && !isInside(folder, vault))
    .map((folder) => programIn(folder, name));
  return found.find((program) => program !== null) ?? null;
}

/** Whether a program is on the PATH, and its name leads to the same one from every working folder. */
export function isOnPath(name: string): boolean {
  const folders = searchedFolders();
  const first = folders.findIndex((folder) => programIn(folder, name) !== null);
  return first >= 0 && folders.slice(0, first + 1).every((folder) => isAbsolute(folder));
}

/**
 * Returns the folders of the PATH. Those that npm adds while it runs are left out, since they may be a vault's. An empty folder is the
 * current one.
 */
function searchedFolders(): readonly string[] {
  return (process.env['PATH'] ?? '').split(delimiter).filter((folder) => !folder.split(/[/\\]/).includes('node_modules'));
}

function isInside(folder: string, vault: string): boolean {
  const path = relative(realPath(vault), realPath(folder));
  return path === '' || !(path === '..' || path.startsWith(`..${sep}`) || isAbsolute(path));
}

function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    // There is nothing to run.
    return path;
  }
}

function programIn(folder: string, name: string): string | null {
  const names = process.platform === 'win32' ? [`${name}.exe`, `${name}.cmd`] : [name];
  return names.map((file) => join(folder, file)).find(isProgram) ?? null;
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    // Missing, or not executable for this user.
    return false;
  }
}
