import { lstatSync, realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { errorMessage } from '../../../errors.ts';

/** The configuration of the repository that a folder is in. */
export type RepositoryConfig =
  | { readonly kind: 'none' }
  | { readonly kind: 'found'; readonly file: string }
  /** It may be another repository's, or no file at all; why, as a clause. */
  | { readonly kind: 'barred'; readonly reason: string };

/**
 * Finds it as git does, from the folder upward, but follows nothing: a `.git` that came with a vault may name any folder of
 * this machine for its own, and its configuration may be a link to any file.
 */
export function findRepositoryConfig(root: string): RepositoryConfig {
  try {
    for (let folder = realpathSync(root); ; folder = dirname(folder)) {
      const git = join(folder, '.git');
      const kind = kindOf(git);
      if (kind === 'link') return barred(`${git} is a symbolic link, and roux follows none here`);
      if (kind === 'other') return barred(`${git} is no folder: the repository may be anywhere`);
      if (kind === 'folder' && kindOf(join(git, 'commondir')) !== null) return barred(`${git} names a repository that may be anywhere`);
      // A folder that is no repository is passed by git too.
      if (kind === 'folder' && PARTS.every((part) => kindOf(join(git, part)) !== null)) return configIn(git);
      if (dirname(folder) === folder) return { kind: 'none' };
    }
  } catch (error) {
    return barred(`it cannot be found: ${errorMessage(error)}`);
  }
}

/** What makes a folder a repository. */
const PARTS = ['HEAD', 'objects', 'refs'];

function configIn(git: string): RepositoryConfig {
  // Git would refuse it too: who owns it could exchange its configuration at any moment.
  if (process.getuid !== undefined && lstatSync(git).uid !== process.getuid()) return barred(`${git} belongs to somebody else`);
  const file = join(git, 'config');
  const state = lstatSync(file, { throwIfNoEntry: false });
  if (state === undefined || (state.isFile() && state.nlink === 1)) return { kind: 'found', file };
  return barred(`${file} is a link, or no regular file`);
}

function kindOf(path: string): 'folder' | 'link' | 'other' | null {
  const state = lstatSync(path, { throwIfNoEntry: false });
  if (state === undefined) return null;
  return state.isDirectory() ? 'folder' : state.isSymbolicLink() ? 'link' : 'other';
}

function barred(reason: string): RepositoryConfig {
  return { kind: 'barred', reason };
}
