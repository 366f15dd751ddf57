import { MAX_LEVELS, MAX_PATH_CHARACTERS } from './limits.ts';

/** Folders and files that systems put beside what is exported. */
const JUNK = /(?:^|\/)(?:__MACOSX|\.DS_Store|Thumbs\.db|desktop\.ini|\._[^/]*)(?:\/|$)/i;

/** Returns the path of a file of an export as it is compared: NFC, with `/`. */
export function normalizeSourcePath(path: string): string {
  return path.replaceAll('\\', '/').normalize('NFC');
}

/** Returns whether a system made this file, and no program that exports. */
export function isJunk(path: string): boolean {
  return JUNK.test(path);
}

/** Returns why a path of an archive is not believed; null if it leads to a file inside of it. */
export function checkSourcePath(path: string): string | null {
  if (path.length > MAX_PATH_CHARACTERS) return `its name has more than ${MAX_PATH_CHARACTERS} characters`;
  if (path.includes('\0')) return 'its name has a NUL in it';
  if (path.startsWith('/') || /^[A-Za-z]:/.test(path)) return 'it names a place outside of the archive';
  const names = path.split('/');
  if (names.includes('..')) return 'it leads out of the archive';
  if (names.some((name) => name === '' || name === '.')) return 'its path has a part without a name';
  return names.length > MAX_LEVELS ? `it is in more than ${MAX_LEVELS} folders` : null;
}

/** Returns the last part of a path. */
export function sourceName(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

/** Returns the folder of a path; `''` for the top. */
export function sourceFolder(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf('/')));
}

/** Returns the path that a link from a folder of the export means: `..` stays within the export. */
export function resolveSourcePath(folder: string, link: string): string {
  const names = link.startsWith('/') ? [] : folder.split('/').filter((name) => name !== '');
  for (const name of normalizeSourcePath(link).split('/')) {
    if (name === '..') names.pop();
    else if (name !== '.' && name !== '') names.push(name);
  }
  return names.join('/');
}
