import { RouxError } from '../../errors.ts';
import { fileName, folderOf } from '../../note/path.ts';
import type { FileState } from '../folder/file-system.ts';
import { hashAt } from '../folder/hash.ts';
import type { Intent } from './intent.ts';
import type { UnderLock } from './under-lock.ts';

/** The context of one run through the steps of an intent. */
export interface StepContext {
  readonly under: UnderLock;
  readonly intent: Intent;
  /** Whether a crash may have interrupted an earlier run. */
  readonly isRepeat: boolean;
  /** Paths whose folders need a sync. */
  readonly touched: Set<string>;
}

/** Returns whether two states are of the same inode. */
export function isOneFile(a: FileState | null, b: FileState | null): boolean {
  return a !== null && b !== null && a.ino === b.ino && a.dev === b.dev;
}

/** Returns whether a path has the staged file: the same inode, or in a repeated run (also without hard links) the same bytes. */
export function isStagedFile(context: StepContext, staged: { image: string; path: string; after: string | null }): boolean {
  const { files } = context.under;
  if (isOneFile(files.stat(staged.image), files.stat(staged.path))) return true;
  if (!context.isRepeat || staged.after === null) return false;
  return hashAt(files, staged.path, staged.after) === staged.after;
}

/** Returns whether a folder lists exactly this name. A file system that ignores case finds files under other names too. */
export function isListed({ under }: StepContext, path: string): boolean {
  const name = fileName(path);
  return under.files.list(folderOf(path))?.some((entry) => entry.name === name) ?? false;
}

/** Returns the error for a file that was saved during a transaction that must not overwrite it. */
export function savedConcurrently(path: string): RouxError {
  return new RouxError('CONFLICT', `${path} was saved by another program while roux wrote; read it again and retry.`, { path });
}

/** Returns the error for a file that was removed during a transaction that needs it. */
export function removedConcurrently(path: string): RouxError {
  return new RouxError('CONFLICT', `${path} was removed by another program while roux wrote; find out where it is and retry.`, { path });
}
