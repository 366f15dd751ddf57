import { randomBytes } from 'node:crypto';
import { realpathSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import * as z from 'zod';
import { RouxError } from '../errors.ts';
import { migrateFileName } from './folder-key.ts';
import { readPrivateFile, removePrivateFile, replacePrivateFile } from './private-file.ts';
import { userStateFolder } from './user-folders.ts';

/**
 * Which store a folder follows. It is stored in the user's own folder, never in the vault: otherwise a cloned repository could send the
 * vault anywhere.
 */
export interface SharedLink {
  /** The URL of the store, without a password. */
  readonly url: string;
  /** The id of the shared vault; null while it is being created. */
  readonly vault: string | null;
  /** A random token that identifies an unfinished `share` when it is resumed. */
  readonly maker: string;
  /** The command that has not finished; null if none. */
  readonly unfinished: 'share' | 'clone' | null;
  /** The id of this working copy, which is also in a file in the folder. */
  readonly copy: string;
}

const shape = z.object({
  url: z.string(),
  vault: z.string().nullable(),
  maker: z.string(),
  unfinished: z.enum(['share', 'clone']).nullable(),
  copy: z.string().default(''),
});

export const MAX_SHARED_FILE_VARIABLE = 'ROUX_MAX_SHARED_FILE_MB';
/** A buffer of twice this size can be allocated on every platform. */
const MAX_SHARED_FILE_MB = 1024;

function linkFileOf(vaultRoot: string): readonly [folder: string, name: string] {
  const folder = join(userStateFolder(), 'shared');
  return [folder, migrateFileName(folder, vaultRoot, 'json')];
}

/** Returns the store that a folder follows; null if it follows none. */
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
    return readPrivateFile(join(...linkFileOf(vaultRoot)));
  } catch {
    // No folder, or a file that others could have written: treated as following nothing.
    return null;
  }
}

export function writeSharedLink(vaultRoot: string, link: SharedLink): void {
  const [folder, name] = linkFileOf(vaultRoot);
  replacePrivateFile(folder, name, `${JSON.stringify({ path: realpathSync.native(vaultRoot), ...link }, null, 2)}\n`);
}

export function removeSharedLink(vaultRoot: string): void {
  const text = readSharedText(vaultRoot);
  const [folder, name] = linkFileOf(vaultRoot);
  if (text !== null) removePrivateFile(folder, name, text);
}

/** Returns a new id for a working copy. */
export function newCopyName(): string {
  return randomBytes(12).toString('base64url');
}

/** Returns the name under which other machines see this one. */
export function machineName(): string {
  return hostname();
}

/** Returns the limit of a shared vault's files in bytes, if the user overrides it (`ROUX_MAX_SHARED_FILE_MB`). A vault cannot set it. */
export function readMaxSharedFile(): { readonly maxFileBytes?: number } {
  const text = process.env[MAX_SHARED_FILE_VARIABLE] ?? '';
  if (text === '') return {};
  const megabytes = Number(text);
  if (Number.isInteger(megabytes) && megabytes >= 1 && megabytes <= MAX_SHARED_FILE_MB) return { maxFileBytes: megabytes * 1024 * 1024 };
  throw new RouxError(
    'INVALID_CONFIG',
    `${MAX_SHARED_FILE_VARIABLE} is a number of megabytes from 1 to ${MAX_SHARED_FILE_MB}, not ${JSON.stringify(text)}.`,
  );
}
