import { randomBytes } from 'node:crypto';
import { realpathSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import * as z from 'zod';
import { RouxError } from '../errors.ts';
import { adoptFile } from './folder-key.ts';
import { readPrivateFile, removePrivateFile, replacePrivateFile } from './private-file.ts';
import { userStateFolder } from './user-folders.ts';

/** Which store a folder follows. Kept with the user and never in the vault: a repository that is cloned could send a vault anywhere. */
export interface SharedLink {
  /** The URL of the store, without a password. */
  readonly url: string;
  /** The id of the shared vault; null while it is being made. */
  readonly vault: string | null;
  /** A token with which an unfinished share goes on. */
  readonly maker: string;
  /** What `share` or `clone` is not done with; null: it is. */
  readonly unfinished: 'share' | 'clone' | null;
  /** What the folder is called as a working copy: its mark says so as well. */
  readonly copy: string;
}

const shape = z.object({
  url: z.string(),
  vault: z.string().nullable(),
  maker: z.string(),
  unfinished: z.enum(['share', 'clone']).nullable(),
  copy: z.string().default(''),
});

function placeOf(vaultRoot: string): readonly [folder: string, name: string] {
  const folder = join(userStateFolder(), 'shared');
  return [folder, adoptFile(folder, vaultRoot, 'json')];
}

/** What a folder follows; null for nearly all. */
export function readSharedLink(vaultRoot: string): SharedLink | null {
  const text = readSharedText(vaultRoot);
  if (text === null) return null;
  try {
    return shape.parse(JSON.parse(text));
  } catch {
    return null;
  }
}

function readSharedText(vaultRoot: string): string | null {
  try {
    return readPrivateFile(join(...placeOf(vaultRoot)));
  } catch {
    // No folder, or what others could have written: it follows nothing.
    return null;
  }
}

export function writeSharedLink(vaultRoot: string, link: SharedLink): void {
  const [folder, name] = placeOf(vaultRoot);
  replacePrivateFile(folder, name, `${JSON.stringify({ path: realpathSync.native(vaultRoot), ...link }, null, 2)}\n`);
}

export function removeSharedLink(vaultRoot: string): void {
  const text = readSharedText(vaultRoot);
  const [folder, name] = placeOf(vaultRoot);
  if (text !== null) removePrivateFile(folder, name, text);
}

/** A name for a folder that becomes a working copy. */
export function newCopyName(): string {
  return randomBytes(12).toString('base64url');
}

/** What others see of this machine. */
export function machineName(): string {
  return hostname();
}

/** What a file of a shared vault may have at most, in bytes, where the user says so (`ROUX_MAX_SHARED_FILE_MB`): no vault does. */
export function maxSharedFile(env: NodeJS.ProcessEnv = process.env): { readonly maxFileBytes?: number } {
  const text = env[MAX_SHARED_FILE] ?? '';
  if (text === '') return {};
  const megabytes = Number(text);
  if (Number.isInteger(megabytes) && megabytes >= 1 && megabytes <= MAX_MAX_SHARED_FILE_MB)
    return { maxFileBytes: megabytes * 1024 * 1024 };
  throw new RouxError(
    'INVALID_CONFIG',
    `${MAX_SHARED_FILE} is a number of megabytes from 1 to ${MAX_MAX_SHARED_FILE_MB}, not ${JSON.stringify(text)}.`,
  );
}

export const MAX_SHARED_FILE = 'ROUX_MAX_SHARED_FILE_MB';
/** A buffer holds no more than twice of it everywhere. */
const MAX_MAX_SHARED_FILE_MB = 1024;
