import { readFileSync } from 'node:fs';

/**
 * Returns the folder of the built page: beside the program in dist/, in dist/ when run from source, or two folders up when used as a
 * library.
 */
export function pageFolder(): URL {
  const path = import.meta.url.endsWith('.ts')
    ? '../../../dist/page/'
    : import.meta.url.endsWith('/page-folder.js')
      ? '../../page/'
      : 'page/';
  return new URL(path, import.meta.url);
}

/**
 * Reads the self-contained page that shows a graph inside of a conversation; null if it was not built. It contains nothing from a vault.
 */
export function readAppPage(): string | null {
  try {
    return readFileSync(new URL('graph-app.html', pageFolder()), 'utf8');
  } catch {
    // The build has reported the failure; tools work without the page.
    return null;
  }
}
