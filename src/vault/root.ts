import { resolve } from 'node:path';
import type { Disk } from '../disk/disk.ts';
import { RouxError, errorMessage } from '../errors.ts';
import { decodeNote } from '../note/parse.ts';

/** The absolute real path of a vault; `VAULT_NOT_FOUND` for what is no readable folder. */
export function findRoot(disk: Disk, path: string): string {
  const wanted = resolve(path);
  const refuse = (what: string, cause?: unknown) => new RouxError('VAULT_NOT_FOUND', what, { vault: wanted }, { cause });
  try {
    const root = disk.realPath(wanted);
    if (root === null) throw refuse(`${wanted} does not exist; give the folder that holds your notes.`);
    if (disk.stat(root)?.kind !== 'folder') throw refuse(`${wanted} is not a folder; give the folder that holds your notes.`);
    disk.list(root);
    return root;
  } catch (error) {
    if (error instanceof RouxError) throw error;
    throw refuse(`${wanted} cannot be read (${errorMessage(error)}); give this user the right to read it.`, error);
  }
}

/** Obsidian's settings of the vault, as text; null where there are none. */
export function readObsidianSettings(disk: Disk, root: string): string | null {
  try {
    return disk.read(`${root}/.obsidian/app.json`, { limit: 1024 * 1024 })?.bytes.toString('utf8') ?? null;
  } catch {
    // Without the settings nothing is hidden, which loses nobody anything.
    return null;
  }
}

/** Whether a vault may be written to: a folder without any write permission is one that nobody wants written to, whoever runs roux. */
export function isWritable(disk: Disk, root: string): boolean {
  return ((disk.stat(root)?.mode ?? 0) & 0o222) !== 0;
}

/** The text of a note for search, as it is this instant: a snippet does not wait for a save to end. */
export function readText(disk: Disk, path: string): string | null {
  try {
    const file = disk.read(path, { follow: true });
    return file === null ? null : decodeNote(file.bytes).text;
  } catch {
    // The note is listed as unreadable by the sync.
    return null;
  }
}

/** The text in the bytes of an attachment, null for none. */
export function textOf(bytes: Uint8Array | null): string | null {
  return bytes === null ? null : new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes);
}

/** When a file was last written to, in milliseconds; null when it is not there. */
export function savedAt(disk: Disk, path: string): number | null {
  const stat = disk.stat(path);
  return stat === null ? null : Number(stat.mtimeNs / 1_000_000n);
}
