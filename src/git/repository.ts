import { lstatSync, realpathSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
import { systemCode } from '../errors.ts';

/** The repository that contains a folder. */
export type FoundRepository =
  | { readonly kind: 'none' }
  | {
      readonly kind: 'found';
      /** Absolute path of its `.git`. */
      readonly git: string;
      /** Path of the folder in the repository, ending with `/`; `''` for its top. */
      readonly prefix: string;
    }
  /** It may be somebody else's; the reason as a clause. */
  | { readonly kind: 'barred'; readonly reason: string };

/**
 * Finds it like git, from the folder upward, but follows nothing: a `.git` that came with a vault may name any folder of this machine, and
 * its files may be links to any file.
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
      // Git also skips a folder that is not a repository.
      if (kind === 'folder' && hasRepositoryParts(git)) {
        // Git refuses it too: its owner could replace the files at any moment.
        if (!isOwnersAlone(git, start)) return barred('its .git belongs to somebody else');
        const below = relative(folder, start).split(sep).join('/');
        return { kind: 'found', git, prefix: below === '' ? '' : `${below}/` };
      }
      if (dirname(folder) === folder) return { kind: 'none' };
    }
  } catch (error) {
    return barred(`it cannot be found (${systemCode(error) ?? 'unknown error'})`);
  }
}

/** Whether a folder has what git makes in each of its own. */
export function hasRepositoryParts(git: string): boolean {
  return ['HEAD', 'objects', 'refs'].every((part) => kindOf(join(git, part)) !== null);
}

/** Whether git's folder belongs to this user, or to the owner of the vault, whom this user let in already (`--allow-other-owner`). */
export function isOwnersAlone(git: string, vault: string): boolean {
  if (process.getuid === undefined) return true;
  const { uid } = lstatSync(git);
  return uid === process.getuid() || uid === lstatSync(vault).uid;
}

/** Returns the kind of a file without following links; null when it does not exist. */
export function kindOf(path: string): 'folder' | 'file' | 'link' | 'other' | null {
  const state = lstatSync(path, { throwIfNoEntry: false });
  if (state === undefined) return null;
  return state.isDirectory() ? 'folder' : state.isFile() ? 'file' : state.isSymbolicLink() ? 'link' : 'other';
}

function barred(reason: string): FoundRepository {
  return { kind: 'barred', reason };
}
