import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemCode } from '../errors.ts';

/** Makes a folder, and those above it, where there is none. */
export function makeFolder(path: string): void {
  mkdirSync(path, { recursive: true });
}

/** The names in a folder; null when nothing is there. Throws for what is no folder. */
export function namesIn(path: string): readonly string[] | null {
  try {
    return readdirSync(path);
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return null;
    throw error;
  }
}

/** Brings everything on the file system of a folder to the medium at once, which costs far less than file by file. False where this system has no way to it. */
export function syncFileSystem(folder: string): boolean {
  // Elsewhere the program of this name does not wait.
  if (process.platform !== 'linux') return false;
  const program = ['/usr/bin/sync', '/bin/sync'].find((file) => existsSync(file));
  if (program === undefined) return false;
  return [['-f', folder], []].some((args) => spawnSync(program, args, { stdio: 'ignore' }).status === 0);
}

/** A new folder of this name in a temporary one that only this user may read, and what removes both. */
export function makeTemporaryFolder(name: string): { readonly folder: string; readonly remove: () => void } {
  const outer = mkdtempSync(join(tmpdir(), 'roux-copy-'));
  const folder = join(outer, name);
  mkdirSync(folder);
  return { folder, remove: () => rmSync(outer, { recursive: true, force: true, maxRetries: 5 }) };
}
