import { systemCode } from '../../errors.ts';
import type { FileBytes, FileReader, FolderEntry, ReadRange } from './file-system.ts';

/** Reads one of roux's own files; null also when this user has no permission, since a folder may come with any permissions. */
export function readAllowed(files: Pick<FileReader, 'read'>, path: string, range: ReadRange): FileBytes | null {
  return ifAllowed(() => files.read(path, range), null);
}

/** Lists one of roux's own folders; empty when it does not exist or this user has no permission. */
export function listAllowed(files: Pick<FileReader, 'list'>, folder: string): readonly FolderEntry[] {
  return ifAllowed(() => files.list(folder) ?? [], []);
}

/** Returns the result of a function, or `otherwise` when the system refused permission. */
export function ifAllowed<T, U>(read: () => T, otherwise: U): T | U {
  try {
    return read();
  } catch (error) {
    if (!isRefused(error)) throw error;
    return otherwise;
  }
}

/** Like `ifAllowed`, for an async function. */
export async function ifAllowedLater<T, U>(read: () => Promise<T>, otherwise: U): Promise<T | U> {
  try {
    return await read();
  } catch (error) {
    if (!isRefused(error)) throw error;
    return otherwise;
  }
}

/** Returns whether the system refused permission. */
function isRefused(error: unknown): boolean {
  return ['EACCES', 'EPERM'].includes(systemCode(error) ?? '');
}
