import { systemCode } from '../../errors.ts';
import type { FileBytes, FileReader, FolderEntry, ReadRange } from './file-system.ts';

/** A read of a file of roux's own: null also where this user may not read it, since what came with a folder may be without rights. */
export function readAllowed(files: Pick<FileReader, 'read'>, path: string, range: ReadRange): FileBytes | null {
  try {
    return files.read(path, range);
  } catch (error) {
    if (!isRefused(error)) throw error;
    return null;
  }
}

/** The names in a folder of roux's own; none where it is not there or this user may not list it. */
export function listAllowed(files: Pick<FileReader, 'list'>, folder: string): readonly FolderEntry[] {
  try {
    return files.list(folder) ?? [];
  } catch (error) {
    if (!isRefused(error)) throw error;
    return [];
  }
}

/** Whether the system has refused the right to something. */
function isRefused(error: unknown): boolean {
  return ['EACCES', 'EPERM'].includes(systemCode(error) ?? '');
}
