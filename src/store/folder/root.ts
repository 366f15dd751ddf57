import { lstatSync, realpathSync, statfsSync } from 'node:fs';
import { resolve } from 'node:path';
import { RouxError, errorMessage, systemCode } from '../../errors.ts';
import type { FileReader } from './file-system.ts';

/** Returns the absolute real path of a vault's folder. Throws `VAULT_NOT_FOUND` for anything but a readable folder. */
export function findRoot(path: string): string {
  const wanted = resolve(path);
  const refuse = (what: string, cause?: unknown) => new RouxError('VAULT_NOT_FOUND', what, { vault: wanted }, { cause });
  try {
    const root = toSlashes(realpathSync.native(wanted));
    if (!lstatSync(root).isDirectory()) throw refuse(`${wanted} is not a folder; give the folder that holds your notes.`);
    return root;
  } catch (error) {
    if (error instanceof RouxError) throw error;
    if (systemCode(error) === 'ENOENT') throw refuse(`${wanted} does not exist; give the folder that holds your notes.`, error);
    throw refuse(`${wanted} cannot be read (${errorMessage(error)}); give this user the right to read it.`, error);
  }
}

/** Converts a path of this system to forward slashes. On POSIX a backslash is an ordinary character. */
export function toSlashes(path: string): string {
  return process.platform === 'win32' ? path.replaceAll('\\', '/') : path;
}

/** Throws `VAULT_NOT_FOUND` for a folder that cannot be listed. */
export function requireReadable(files: FileReader, root: string): void {
  try {
    files.list('');
  } catch (cause) {
    const message = `${root} cannot be read (${errorMessage(cause)}); give this user the right to read it.`;
    throw new RouxError('VAULT_NOT_FOUND', message, { vault: root }, { cause });
  }
}

/** File systems that only this kernel changes: ext2 to 4, XFS, btrfs, bcachefs, F2FS, JFS, ZFS, tmpfs, overlay. */
const LOCAL_FILE_SYSTEMS: ReadonlySet<number> = new Set([
  0xef53, 0x58465342, 0x9123683e, 0xca451a4e, 0xf2f52010, 0x3153464a, 0x2fc12fc1, 0x01021994, 0x794c7630,
]);

/** Returns whether a folder is on such a file system. Changes on shared and network file systems may go unreported. */
export function isOnLocalFileSystem(folder: string): boolean {
  if (process.platform !== 'linux') return false;
  try {
    return LOCAL_FILE_SYSTEMS.has(statfsSync(folder).type);
  } catch {
    // Gone or unknown.
    return false;
  }
}
