import { lstatSync, realpathSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
import { systemCode } from '../errors.ts';

/** The repository that a folder is in. */
export type FoundRepository =
  | { readonly kind: 'none' }
  | {
      readonly kind: 'found';
      /** Absolute path of its `.git`. */
      readonly git: string;
      /** Where the folder is in it, with `/` at its end; `''` for its top. */
      readonly prefix: string;
    }
  /** It may be another one, or anybody's; why, as a clause. */
  | { readonly kind: 'barred'; readonly reason: string };

/**
 * Finds it as git does, from the folder upward, but follows nothing: a `.git` that came with a vault may name any folder of
 * this machine for its own, and its files may be links to any file.
 */
export function findRepository(root: string): FoundRepository {
  try {
    const start = realpathSync(root);
    for (let folder = start; ; folder = dirname(folder)) {
      const git = join(folder, '.git');
      const kind = kindOf(git);
      if (kind === 'link') return barred('its .git is a symbolic link, and roux follows none here');
      if (kind === 'file' || kind === 'other') return barred('its .git is no folder: the repository may be anywhere');
      if (kind === 'folder' && kindOf(join(git, 'commondir')) !== null) return barred('its .git names a repository that may be anywhere');
      // A folder that is no repository is passed by git too.
      if (kind === 'folder' && PARTS.every((part) => kindOf(join(git, part)) !== null)) {
        // Git would refuse it too: who owns it could exchange its files at any moment.
        if (process.getuid !== undefined && lstatSync(git).uid !== process.getuid()) return barred('its .git belongs to somebody else');
        const below = relative(folder, start).split(sep).join('/');
        return { kind: 'found', git, prefix: below === '' ? '' : `${below}/` };
      }
      if (dirname(folder) === folder) return { kind: 'none' };
    }
  } catch (error) {
    return barred(`it cannot be found (${systemCode(error) ?? 'unknown error'})`);
  }
}

/** What makes a folder a repository. */
const PARTS = ['HEAD', 'objects', 'refs'];

/** What stands under a name, nothing followed; null where nothing does. */
export function kindOf(path: string): 'folder' | 'file' | 'link' | 'other' | null {
  const state = lstatSync(path, { throwIfNoEntry: false });
  if (state === undefined) return null;
  return state.isDirectory() ? 'folder' : state.isFile() ? 'file' : state.isSymbolicLink() ? 'link' : 'other';
}

function barred(reason: string): FoundRepository {
  return { kind: 'barred', reason };
}
