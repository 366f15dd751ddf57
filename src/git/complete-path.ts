/** Completions that are offered. */
const MAX_COMPLETIONS = 30;
/** Files that are looked at for a part of a name. */
const MAX_SEARCHED = 200_000;

/**
 * Completes a path by the files of a repository: the files and folders (with `/` at the end) that go on one step from what is typed, else
 * files with a name that begins with it. `paths`: sorted.
 */
export function completePath(paths: readonly string[], typed: string): readonly string[] {
  const found = new Set<string>();
  let [low, high] = [0, paths.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((paths[middle] ?? '') < typed) low = middle + 1;
    else high = middle;
  }
  for (let at = low; at < paths.length && paths[at]?.startsWith(typed) === true && found.size < MAX_COMPLETIONS; at++) {
    const path = paths[at] ?? '';
    const end = path.indexOf('/', typed.length);
    found.add(end < 0 ? path : path.slice(0, end + 1));
  }
  if (typed !== '' && !typed.includes('/')) {
    const wanted = typed.toLowerCase();
    for (const path of paths.slice(0, MAX_SEARCHED)) {
      if (found.size >= MAX_COMPLETIONS) break;
      if (
        path
          .slice(path.lastIndexOf('/') + 1)
          .toLowerCase()
          .startsWith(wanted)
      )
        found.add(path);
    }
  }
  return [...found];
}
