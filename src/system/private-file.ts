import { randomBytes } from 'node:crypto';
import { closeSync, constants, fstatSync, linkSync, mkdirSync, openSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { systemCode } from '../errors.ts';

/** Returns the text of a private file, creating it from `make` if it does not exist. Follows no link. All processes get the same text. */
export function readOrCreatePrivateFile(folder: string, name: string, make: () => string): string {
  const path = join(folder, name);
  const existing = readPrivateFile(path);
  if (existing !== null) return existing;
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const draft = writeDraft(path, make());
  try {
    // A hard link creates the file completely and only if no other process has created it.
    linkSync(draft, path);
  } catch (error) {
    if (systemCode(error) !== 'EEXIST') throw error;
  } finally {
    rmSync(draft, { force: true });
  }
  const made = readPrivateFile(path);
  if (made === null) throw new Error(`${path} is not a file that only this user can read`);
  return made;
}

/** Writes a private file atomically, replacing an existing one. */
export function replacePrivateFile(folder: string, name: string, text: string): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const path = join(folder, name);
  const draft = writeDraft(path, text);
  try {
    renameSync(draft, path);
  } catch (error) {
    rmSync(draft, { force: true });
    throw error;
  }
}

/** A lock held for longer belongs to a process that was killed. */
const MAX_LOCK_MS = 5_000;

/** Changes a private file while no other process does. */
export function withPrivateFileLock<T>(folder: string, name: string, change: () => T): T {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const lock = join(folder, `${name}.lock`);
  for (const until = Date.now() + MAX_LOCK_MS; ; Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 20)) {
    try {
      closeSync(openSync(lock, 'wx', 0o600));
      break;
    } catch (error) {
      if (systemCode(error) !== 'EEXIST') throw error;
      if (Date.now() > until) rmSync(lock, { force: true });
    }
  }
  try {
    return change();
  } finally {
    rmSync(lock, { force: true });
  }
}

/** Removes a private file if it still contains this text; a file that somebody else put there is left alone. */
export function removePrivateFile(folder: string, name: string, text: string): void {
  const path = join(folder, name);
  try {
    if (readPrivateFile(path) === text) rmSync(path, { force: true });
  } catch {
    // It is not a private file any more.
  }
}

function writeDraft(path: string, text: string): string {
  const draft = `${path}.${process.pid}.${randomBytes(6).toString('hex')}`;
  try {
    writeFileSync(draft, text, { flag: 'wx', mode: 0o600 });
  } catch (error) {
    // On a full disk, a part of it is there.
    rmSync(draft, { force: true });
    throw error;
  }
  return draft;
}

/**
 * Returns the text of a private file: a regular file of this user that nobody else can read. Null if it does not exist. Throws for anything
 * else under that name.
 */
export function readPrivateFile(path: string): string | null {
  let descriptor: number;
  try {
    descriptor = openSync(path, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0));
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return null;
    throw error;
  }
  try {
    const state = fstatSync(descriptor);
    const isOpen = process.platform !== 'win32' && ((state.mode & 0o077) !== 0 || state.uid !== process.getuid?.());
    if (!state.isFile() || isOpen) throw new Error(`${path} is not a file that only this user can read`);
    return readFileSync(descriptor, 'utf8');
  } finally {
    closeSync(descriptor);
  }
}
