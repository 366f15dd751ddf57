import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemCode } from '../errors.ts';

/** Creates a folder and its parents if missing. */
export function createFolder(path: string): void {
  mkdirSync(path, { recursive: true });
}

/** Returns the names in a folder; null if it does not exist. Throws if it is not a folder. */
export function listNames(path: string): readonly string[] | null {
  try {
    return readdirSync(path);
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return null;
    throw error;
  }
}

/**
 * Syncs the whole file system of a folder to the medium, which is much faster than syncing each file. Returns false if this system cannot
 * do that.
 */
export function syncFileSystem(folder: string): boolean {
  // On other systems, sync returns before the data is written.
  if (process.platform !== 'linux') return false;
  const program = ['/usr/bin/sync', '/bin/sync'].find((file) => existsSync(file));
  if (program === undefined) return false;
  return [['-f', folder], []].some((args) => spawnSync(program, args, { stdio: 'ignore' }).status === 0);
}

/** Creates a folder with this name inside of a temporary one that only this user can read, and returns a function that removes both. */
export function createTemporaryFolder(name: string): { readonly folder: string; readonly remove: () => void } {
  const outer = mkdtempSync(join(tmpdir(), 'roux-copy-'));
  const folder = join(outer, name);
  mkdirSync(folder);
  return { folder, remove: () => rmSync(outer, { recursive: true, force: true, maxRetries: 5 }) };
}
