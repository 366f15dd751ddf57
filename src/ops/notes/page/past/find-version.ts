import { RouxError } from '../../../../errors.ts';
import type { Vault } from '../../../../vault/vault.ts';
import type { WrittenFile } from '../../../../vault/history/write-diff.ts';

/** Names a version of a note: the text before or after one of its changes. */
export interface VersionName {
  /** The id of the write, as `page_history` gives it. */
  readonly id: string;
  /** The path of the note in that write. */
  readonly path: string;
  readonly side: 'before' | 'after';
}

/** A version of a note, and the file that it is a version of. */
export interface FoundVersion {
  readonly text: string;
  readonly file: WrittenFile;
  /** ISO 8601; the time of the change. */
  readonly timestamp: string;
}

/** Finds a version of a note. Throws `NODE_NOT_FOUND` if it is no longer stored. */
export async function findVersion(vault: Vault, { id, path, side }: VersionName): Promise<FoundVersion> {
  const found = await vault.history.writeDiff(id, { offset: 0, limit: 1, path });
  const file = found?.files[0];
  const text = file === undefined ? null : side === 'before' ? file.textBefore() : file.textAfter();
  if (found === null || file === undefined || text === null)
    throw new RouxError('NODE_NOT_FOUND', 'The text of this version is no longer stored.', { id, path });
  return { text, file, timestamp: found.activity.timestamp };
}
