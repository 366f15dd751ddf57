import { RouxError } from '../errors.ts';
import { folderOf } from '../note/path.ts';
import { hashOf } from './content.ts';
import type { WriteGround } from './ground.ts';
import { absolute } from './ground.ts';
import type { Intent } from './intent.ts';

/** One pass over an intent: what it runs on, and whether a crash came before. */
export interface Pass {
  readonly ground: WriteGround;
  readonly intent: Intent;
  readonly isRepeat: boolean;
  /** Vault-relative paths whose folders are to be synced. */
  readonly touched: Set<string>;
}

/** The staged after-image of a step. */
export function imageOf(pass: Pass, index: number): string {
  return pass.ground.journal.image(pass.intent.id, index);
}

/** Where a step keeps the inode that it displaces. */
export function oldOf(pass: Pass, index: number): string {
  return pass.ground.journal.displaced(pass.intent.id, index);
}

/** A name for what a step needs for an instant. */
export function spareOf(pass: Pass, index: number): string {
  return `${pass.intent.id}.${index}`;
}

/** Whether the file under a name is the staged one: the same inode, or on a repeat (also without hard links) the same bytes. */
export async function isOurs(pass: Pass, staged: { image: string; path: string; after: string | null }): Promise<boolean> {
  const { files } = pass.ground;
  const file = absolute(pass.ground, staged.path);
  const [image, standing] = [await files.stat(staged.image), await files.stat(file)];
  if (standing === null) return false;
  if (image !== null && image.ino === standing.ino && image.dev === standing.dev) return true;
  if (!pass.isRepeat || staged.after === null) return false;
  const bytes = await files.read(file);
  return bytes !== null && hashOf(bytes) === staged.after;
}

/** Whether a folder lists exactly this name: a file system that ignores case answers to others too. */
export async function isListed(pass: Pass, path: string): Promise<boolean> {
  const folder = folderOf(path);
  const names = await pass.ground.files.list(folder === '' ? pass.ground.root : absolute(pass.ground, folder));
  return names?.includes(path.slice(path.lastIndexOf('/') + 1)) ?? false;
}

/** Somebody saved a file in the middle of a transaction that must not go over it. */
export function savedMeanwhile(path: string): RouxError {
  return new RouxError('CONFLICT', `${path} was saved by somebody else while roux wrote; read it again and retry.`, { path });
}

/** Somebody removed a file in the middle of a transaction that needs it. */
export function goneMeanwhile(path: string): RouxError {
  return new RouxError('CONFLICT', `${path} was removed by somebody else while roux wrote; nothing was changed.`, { path });
}
