import { lstatSync, realpathSync } from 'node:fs';
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
