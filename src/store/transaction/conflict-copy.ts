import { RouxError, errorMessage, systemCode } from '../../errors.ts';
import { fileName, foldersAbove, joinPath } from '../../note/path.ts';
import { firstBytes } from '../../note/text.ts';
import { isoNow } from '../../ports.ts';
import type { FileState, FileSystem } from '../folder/file-system.ts';
import { hashOf } from '../folder/hash.ts';
import { linkOrCopy, removeIfThere, writeNewFile } from '../folder/write-file.ts';
import type { DisplacedFile } from './outcome.ts';
import { syncFoldersOf } from './under-lock.ts';
import type { UnderLock } from './under-lock.ts';

/** What writing a conflict copy needs. It happens under the lock, or without it when displaced files are checked again. */
type CopyAccess = Pick<UnderLock, 'isSynced' | 'ports'> & { readonly files: FileSystem };

/** Precedes the time in the name of a copy. */
const COPY_MARK = '.sync-conflict-';
/** Limit of every common file system. */
const MAX_NAME_BYTES = 255;

/**
 * Writes a text that a person saved while roux wrote to a new file beside the note, and returns its path. If the folder of the note is gone,
 * the nearest one above it is used. `source`: the file in `.roux` that has the text. The copy is no hard link: the data for undo must not
 * change with it, and a file with two names could not be written safely. If a copy with the same bytes exists, as after a crash, returns
 * that one.
 */
export async function writeConflictCopy(access: CopyAccess, saved: { source: string; path: string }): Promise<string> {
  const { files, isSynced } = access;
  const staged = `${saved.source}.copy`;
  const found = files.read(saved.source);
  if (found === null) throw new RouxError('IO_ERROR', `${saved.source} is missing, so a text for ${saved.path} is lost.`);
  const place = { folder: findFolder(files, saved.path), name: fileName(saved.path) };
  const earlier = findCopy(files, { ...place, bytes: found.bytes });
  if (earlier !== null) {
    await syncFoldersOf(access, [earlier]);
    return earlier;
  }
  removeIfThere(files, staged);
  await writeNewFile(files, { path: staged, bytes: found.bytes, like: found.state, isSynced });
  const path = await nameCopy(access, { ...place, staged });
  removeIfThere(files, staged);
  await syncFoldersOf(access, [path]);
  return path;
}

/** Links the staged copy to the first free name for the current time. */
async function nameCopy(
  { files, isSynced, ports }: CopyAccess,
  { staged, folder, name }: { readonly staged: string; readonly folder: string; readonly name: string },
): Promise<string> {
  const at = isoNow(ports.clock);
  for (let count = 1; ; count++) {
    const copy = joinPath(folder, copyName(name, at, count));
    try {
      await linkOrCopy(files, { from: staged, to: copy, isSynced });
      return copy;
    } catch (error) {
      if (systemCode(error) !== 'EEXIST') throw error;
    }
  }
}

/** Returns the file name of a conflict copy of a file at a moment (ISO 8601). `count`: from 1, higher where the lower ones are taken. */
export function copyName(path: string, at: string, count: number): string {
  const stamp = `${at.slice(0, 10).replaceAll('-', '')}-${at.slice(11, 19).replaceAll(':', '')}`;
  const { stem, extension } = splitName(fileName(path));
  const suffix = `${COPY_MARK}${stamp}${count === 1 ? '' : `-${count}`}${extension}`;
  // A name as long as the file system takes has no room for more.
  return firstBytes(stem, MAX_NAME_BYTES - Buffer.byteLength(suffix)) + suffix;
}

/** Returns the folder of a file, or the nearest existing one above it. */
function findFolder(files: FileSystem, path: string): string {
  return foldersAbove(path).findLast((folder) => files.stat(folder)?.kind === 'folder') ?? '';
}

/** Finds a conflict copy of a file with these bytes; null if there is none. */
function findCopy(files: FileSystem, copied: { readonly folder: string; readonly name: string; readonly bytes: Buffer }): string | null {
  const { folder, bytes } = copied;
  const { stem, extension } = splitName(copied.name);
  for (const { name, kind } of files.list(folder) ?? []) {
    if (kind !== 'file' || !name.startsWith(stem + COPY_MARK) || !name.endsWith(extension)) continue;
    const copy = joinPath(folder, name);
    try {
      if (files.stat(copy)?.size === bytes.length && files.read(copy)?.bytes.equals(bytes) === true) return copy;
    } catch (error) {
      // An unreadable copy is not ours.
      if (systemCode(error) === null) throw error;
    }
  }
  return null;
}

/** Splits a file name at its last dot. A leading dot does not start an extension. */
function splitName(name: string): { stem: string; extension: string } {
  const dot = name.lastIndexOf('.');
  return dot > 0 ? { stem: name.slice(0, dot), extension: name.slice(dot) } : { stem: name, extension: '' };
}

/** Returns the warning about a conflict copy. */
export function conflictWarning(path: string, copy: string): string {
  return `${path} was saved by another program while roux wrote it; its text is now in ${copy}.`;
}

/** A displaced file that is retained for undo. */
export type RetainedFile = Readonly<Omit<DisplacedFile, 'step'>>;

/** Checks displaced files a second time, since an editor that had one open may have written into it after the transaction. */
export interface SecondLooks {
  after(files: readonly RetainedFile[]): void;
  /** Does the remaining checks at once. */
  close(): Promise<void>;
}

const SECOND_LOOK_MS = 2_000;
/** Between looks, so that those at the files of many writes in a row open their folder once. */
const LOOK_PAUSE_MS = 250;

/** Checks the displaced files two seconds after each write. Calls `onCopies` with the conflict copies that were made. */
export function openSecondLooks(
  access: CopyAccess,
  onCopies: (paths: readonly string[], warnings: readonly string[]) => void,
): SecondLooks {
  let pending: { readonly since: number; readonly displaced: readonly RetainedFile[] }[] = [];
  let timer: NodeJS.Timeout | undefined;
  async function look(writes: typeof pending): Promise<void> {
    for (const { displaced } of writes.filter((write) => write.displaced.some((file) => !isUnchanged(access.files, file)))) {
      try {
        const { copies, warnings } = await keepLaterTexts(access, displaced);
        if (copies.length > 0) onCopies(copies, warnings);
      } catch (error) {
        access.ports.log.error(`Checking displaced files failed: ${errorMessage(error)}`);
      }
    }
  }
  function wait(milliseconds: number): void {
    timer = setTimeout(() => {
      const due = pending.filter(({ since }) => performance.now() - since >= SECOND_LOOK_MS - LOOK_PAUSE_MS / 2);
      pending = pending.slice(due.length);
      const [next] = pending;
      timer = undefined;
      if (next !== undefined) wait(Math.max(LOOK_PAUSE_MS, SECOND_LOOK_MS - (performance.now() - next.since)));
      void look(due);
    }, milliseconds);
    timer.unref();
  }
  return {
    after(displaced) {
      if (displaced.length === 0) return;
      pending.push({ since: performance.now(), displaced });
      if (timer === undefined) wait(SECOND_LOOK_MS);
    },
    async close() {
      clearTimeout(timer);
      timer = undefined;
      const left = pending;
      pending = [];
      await look(left);
    },
  };
}

/** Whether nothing was written into a displaced file. One that cannot be read is looked at again. */
function isUnchanged(files: FileSystem, { file, hash, before }: RetainedFile): boolean {
  try {
    const bytes = files.read(file)?.bytes;
    return bytes === undefined || (hashOf(bytes) === hash && (before === null || bytes.equals(before)));
  } catch {
    return false;
  }
}

/**
 * Copies what an editor wrote into displaced files since then to conflict copies. Undo needs the file as it was, so it gets the earlier bytes
 * in a new file: an editor that has the old one open would write into it under any name.
 */
async function keepLaterTexts(access: CopyAccess, displaced: readonly RetainedFile[]): Promise<{ copies: string[]; warnings: string[] }> {
  const copies: string[] = [];
  const warnings: string[] = [];
  for (const { file, hash, path, before } of displaced) {
    const found = access.files.read(file);
    if (found === null) continue;
    const { bytes } = found;
    if (hashOf(bytes) === hash) {
      if (before !== null && !bytes.equals(before)) await replaceRetained(access, { file, before, like: found.state });
      continue;
    }
    const current = access.files.read(path)?.bytes;
    if (bytes.length > 0 && current?.equals(bytes) !== true) {
      const copy = await writeConflictCopy(access, { source: file, path });
      copies.push(copy);
      warnings.push(conflictWarning(path, copy));
    }
    if (before !== null) await replaceRetained(access, { file, before, like: found.state });
    // Its name promises the earlier bytes.
    else removeIfThere(access.files, file);
  }
  return { copies, warnings };
}

/** Replaces a file that an editor may have open by a new one. */
async function replaceRetained(
  { files, isSynced }: CopyAccess,
  retained: { readonly file: string; readonly before: Buffer; readonly like: FileState },
): Promise<void> {
  const staged = `${retained.file}.copy`;
  removeIfThere(files, staged);
  await writeNewFile(files, { path: staged, bytes: retained.before, like: retained.like, isSynced });
  files.rename(staged, retained.file);
}
