import { lstatSync } from 'node:fs';
import { join } from 'node:path';
import { findRepository } from '../../../git/repository.ts';

/** The configuration of the repository that a folder is in. */
export type RepositoryConfig =
  | { readonly kind: 'none' }
  | { readonly kind: 'found'; readonly file: string }
  /** It may be another repository's, or no file at all; why, as a clause. */
  | { readonly kind: 'barred'; readonly reason: string };

/** Finds it without following anything: it may be a link to any file. */
export function findRepositoryConfig(root: string): RepositoryConfig {
  const found = findRepository(root);
  if (found.kind !== 'found') return found;
  const file = join(found.git, 'config');
  const state = lstatSync(file, { throwIfNoEntry: false });
  if (state === undefined || (state.isFile() && state.nlink === 1)) return { kind: 'found', file };
  return { kind: 'barred', reason: `${file} is a link, or no regular file` };
}
