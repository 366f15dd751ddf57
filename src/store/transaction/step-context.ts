import { RouxError } from '../../errors.ts';
import { fileName, folderOf } from '../../note/path.ts';
import type { FileState } from '../folder/file-system.ts';
import { hashAt } from '../folder/hash.ts';
import type { Intent } from './intent.ts';
import type { UnderLock } from './under-lock.ts';

/** One run through the steps of an intent: what it has at hand, and whether a crash came before. */
export interface StepContext {
  readonly under: UnderLock;
  readonly intent: Intent;
  readonly isRepeat: boolean;
  /** Paths whose folders are to be synced. */
  readonly touched: Set<string>;
}

/** Whether two names lead to one file. */
export function isOneFile(a: FileState | null, b: FileState | null): boolean {
  return a !== null && b !== null && a.ino === b.ino && a.dev === b.dev;
}

/** Whether the file under a name is the staged one: the same inode, or on a repeat (also without hard links) the same bytes. */
export function isStagedFile(context: StepContext, staged: { image: string; path: string; after: string | null }): boolean {
  const { files } = context.under;
  const [image, standing] = [files.stat(staged.image), files.stat(staged.path)];
  if (standing === null) return false;
  if (isOneFile(image, standing)) return true;
  if (!context.isRepeat || staged.after === null) return false;
  return hashAt(files, staged.path, staged.after) === staged.after;
}

/** Whether a folder lists exactly this name: a file system that ignores case answers to others too. */
export function isListed({ under }: StepContext, path: string): boolean {
  const name = fileName(path);
  return under.files.list(folderOf(path))?.some((entry) => entry.name === name) ?? false;
}

/** Somebody saved a file in the middle of a transaction that must not go over it. */
export function savedMeanwhile(path: string): RouxError {
  return new RouxError('CONFLICT', `${path} was saved by somebody else while roux wrote; read it again and retry.`, { path });
}

/** Somebody removed a file in the middle of a transaction that needs it. */
export function goneMeanwhile(path: string): RouxError {
  return new RouxError('CONFLICT', `${path} was removed by somebody else while roux wrote; look where it is and retry.`, { path });
}
