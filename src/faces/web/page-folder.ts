/** Where the built page is: beside the program, which is one script in dist/; from the sources where a build left it; as a library this file lies two folders deeper. */
export function pageFolder(): URL {
  const path = import.meta.url.endsWith('.ts')
    ? '../../../dist/page/'
    : import.meta.url.endsWith('/page-folder.js')
      ? '../../page/'
      : 'page/';
  return new URL(path, import.meta.url);
}
