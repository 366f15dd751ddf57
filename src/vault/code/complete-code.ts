import { RouxError } from '../../errors.ts';
import { completePath } from '../../git/complete-path.ts';
import type { Vault } from '../vault.ts';

/** Completes a path of the repository around the vault, by its tracked files; none where it is not read. */
export async function completeCode({ code }: Pick<Vault, 'code'>, typed: string): Promise<readonly string[]> {
  if (code.place().kind === 'barred') return [];
  try {
    const files = await code.files();
    const paths = code.place().kind === 'repository' ? files.paths : [...files.walk('')].filter((path) => path !== null).sort();
    return completePath(paths, typed);
  } catch (error) {
    if (error instanceof RouxError) return [];
    throw error;
  }
}
