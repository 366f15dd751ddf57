import { lstatSync } from 'node:fs';
import { join } from 'node:path';
import { findRepository } from '../../../git/repository.ts';

/** The configuration file of the git repository that contains a folder. */
export type RepositoryConfig =
  | { readonly kind: 'none' }
  | { readonly kind: 'found'; readonly file: string }
  /** The file may belong to another repository, or may not be a regular file; `reason` is a clause. */
  | { readonly kind: 'barred'; readonly reason: string };

/** Finds the configuration file without following links, because a link could point to any file. */
export function findRepositoryConfig(root: string): RepositoryConfig {
  const found = findRepository(root);
  if (found.kind !== 'found') return found;
  const file = join(found.git, 'config');
  const state = lstatSync(file, { throwIfNoEntry: false });
  if (state === undefined || (state.isFile() && state.nlink === 1)) return { kind: 'found', file };
  return { kind: 'barred', reason: `${file} is a link, or no regular file` };
}
