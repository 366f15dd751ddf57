import { systemCode } from '../../errors.ts';
import type { FileBytes, FileReader, FolderEntry, ReadRange } from './file-system.ts';

/** A read of a file of roux's own: null also where this user may not read it, since what came with a folder may be without rights. */
export function readAllowed(files: Pick<FileReader, 'read'>, path: string, range: ReadRange): FileBytes | null {
  return ifAllowed(() => files.read(path, range), null);
}

/** The names in a folder of roux's own; none where it is not there or this user may not list it. */
export function listAllowed(files: Pick<FileReader, 'list'>, folder: string): readonly FolderEntry[] {
  return ifAllowed(() => files.list(folder) ?? [], []);
}

/** What a look at files of roux's own gives, or something else where this user may not look. */
export function ifAllowed<T, U>(look: () => T, otherwise: U): T | U {
  try {
    return look();
  } catch (error) {
    if (!isRefused(error)) throw error;
    return otherwise;
  }
}

/** Like `ifAllowed`, for a look that takes time. */
export async function ifAllowedLater<T, U>(look: () => Promise<T>, otherwise: U): Promise<T | U> {
  try {
    return await look();
  } catch (error) {
    if (!isRefused(error)) throw error;
    return otherwise;
  }
}

/** Returns whether the system refused permission. */
function isRefused(error: unknown): boolean {
  return ['EACCES', 'EPERM'].includes(systemCode(error) ?? '');
}
