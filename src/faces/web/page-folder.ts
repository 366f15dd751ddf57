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
