import { accessSync, constants, realpathSync, statSync } from 'node:fs';
import { delimiter, isAbsolute, join, relative, sep } from 'node:path';

/** The absolute path of a program that is found by its name in a folder outside of the vault, whose own files are never run; or null. */
export function findProgram(name: string, { vault }: { readonly vault: string }): string | null {
  const found = searchedFolders()
    .filter((folder) => isAbsolute(folder) && !isInside(folder, vault))
    .map((folder) => programIn(folder, name));
  return found.find((program) => program !== null) ?? null;
}

/** Whether a program of this name is found by its name wherever it is called, and is the same one everywhere. */
export function isOnPath(name: string): boolean {
  const folders = searchedFolders();
  const first = folders.findIndex((folder) => programIn(folder, name) !== null);
  return first >= 0 && folders.slice(0, first + 1).every((folder) => isAbsolute(folder));
}

/** The folders of the PATH, an empty one being the current folder; without those that npm adds for as long as it runs, which may be a vault's. */
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
    // Nothing is there to be run.
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
    // Not there, or not for us.
    return false;
  }
}
