import { realpathSync } from 'node:fs';
import { dirname, join, sep } from 'node:path';
import { findCheckout } from './worktrees.ts';

/** Finds what a path of a Markdown link names from where it is written. */
export type PlaceFinder = (link: { readonly from: string; readonly linkpath: string }) => boolean;

/**
 * Creates a function that returns whether a Markdown link names anything in the vault or in the repository around it, notes or not: a
 * folder, a hidden file, `../CONTRIBUTING.md`. Git hosts and editors follow such links. Each place is looked up once. `root`: real path.
 */
export function createPlaceFinder(root: string): PlaceFinder {
  const below = findCheckout(root)?.vault ?? '';
  const top = below === '' ? root : root.slice(0, -(below.length + 1));
  const known = new Map<string, boolean>();
  const isThere = (path: string): boolean => {
    let found = known.get(path);
    if (found === undefined) known.set(path, (found = isWithin(top, path) && leadsWithin(top, path)));
    return found;
  };
  return ({ from, linkpath }) => {
    const start = join(root, dirname(from));
    if (!linkpath.startsWith('/')) return isThere(join(start, linkpath));
    // Which folder is the top of a site or bundle is known to its generator alone.
    for (let folder = start; isWithin(top, folder); folder = dirname(folder)) {
      if (isThere(join(folder, linkpath))) return true;
      if (folder === dirname(folder)) break;
    }
    return false;
  };
}

function isWithin(top: string, path: string): boolean {
  return path === top || path.startsWith(top.endsWith(sep) ? top : `${top}${sep}`);
}

/** Whether something is at a path and not, by a link on the way, elsewhere: a vault may have links to any folder. */
function leadsWithin(top: string, path: string): boolean {
  try {
    return isWithin(top, realpathSync(path));
  } catch {
    return false;
  }
}
