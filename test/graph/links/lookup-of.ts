import { Bundles } from '../../../src/graph/links/bundles.ts';
import { linkKey } from '../../../src/note/path.ts';
import type { FileLookup } from '../../../src/graph/links/resolve.ts';

/** The files of a list of paths, as resolution wants them. */
export function lookupOf(paths: readonly string[]): FileLookup {
  return { byKey: (key) => paths.filter((path) => linkKey(path) === key), bundles: new Bundles() };
}
