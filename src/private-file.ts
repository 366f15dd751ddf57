import { randomBytes } from 'node:crypto';
import { closeSync, constants, fstatSync, linkSync, mkdirSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { systemCode } from './errors.ts';

/** The text of a file that only this user may read, made from `make` when it is not there; never through a link. Returns the same text to all processes. */
export function readOrMakePrivateFile(folder: string, name: string, make: () => string): string {
  const path = join(folder, name);
  const kept = readPrivateFile(path);
  if (kept !== null) return kept;
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const draft = `${path}.${process.pid}.${randomBytes(6).toString('hex')}`;
  writeFileSync(draft, make(), { flag: 'wx', mode: 0o600 });
  try {
    // Whole or not at all, and once: another process may be making it too.
    linkSync(draft, path);
  } catch (error) {
    if (systemCode(error) !== 'EEXIST') throw error;
  } finally {
    rmSync(draft, { force: true });
  }
  const made = readPrivateFile(path);
  if (made === null) throw new Error(`${path} is not a file of this user's alone`);
  return made;
}

/** The text of a regular file that nobody else can read; null when there is none. Throws for a link, a device, or a file that others may read. */
function readPrivateFile(path: string): string | null {
  let descriptor: number;
  try {
    descriptor = openSync(path, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0));
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return null;
    throw error;
  }
  try {
    const state = fstatSync(descriptor);
    const isOpen = process.platform !== 'win32' && (state.mode & 0o077) !== 0;
    if (!state.isFile() || isOpen) throw new Error(`${path} is not a file of this user's alone`);
    return readFileSync(descriptor, 'utf8');
  } finally {
    closeSync(descriptor);
  }
}
