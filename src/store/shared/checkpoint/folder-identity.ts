import { RouxError } from '../../../errors.ts';
import type { FileState, FileSystem } from '../../folder/file-system.ts';
import { readCheckpoint } from './checkpoint.ts';
import type { Checkpoint } from './checkpoint.ts';

/** Notices when the folder of a working copy is replaced by another one while a server runs. */
export interface FolderIdentity {
  /** Remembers the folder that is there now, and returns its checkpoint. Throws as `checkFollows` does if it replaced another folder. */
  remember(vault: string): Checkpoint | null;
  /** Whether another folder is there now, so that nothing known of the files holds. False while there is none. */
  readonly isReplaced: boolean;
  /** Throws `VAULT_NOT_FOUND` (retryable) if the folder is gone or was replaced: no user deleted its files. */
  check(): void;
}

/** Starts with no remembered folder. */
export function trackFolderIdentity(files: Pick<FileSystem, 'hint' | 'read' | 'stat'>): FolderIdentity {
  let known: FileState | null = null;
  // A new folder may get the inode of one that was just removed, so the time of birth counts too.
  const isSame = (now: FileState | null): boolean =>
    known === null || (now !== null && now.ino === known.ino && now.dev === known.dev && now.birthNs === known.birthNs);
  const identity: FolderIdentity = {
    remember(vault) {
      const mark = readCheckpoint(files);
      if (identity.isReplaced) checkFollows(mark, vault);
      known = files.hint('');
      return mark;
    },
    get isReplaced() {
      const now = files.hint('');
      return now !== null && !isSame(now);
    },
    check() {
      if (isSame(files.hint(''))) return;
      const message = 'The folder of the vault is gone, or was replaced by another one; nothing of it was shared.';
      throw new RouxError('VAULT_NOT_FOUND', message, undefined, { retryable: true });
    },
  };
  return identity;
}

/** Throws `INVALID_CONFIG` for a folder that replaced a working copy and is none of its vault: its files may not be meant for that vault. */
export function checkFollows(mark: Pick<Checkpoint, 'vault'> | null, vault: string): void {
  if (mark?.vault === vault) return;
  const message =
    'The folder of this working copy was replaced by one that does not follow its vault (.roux/shared.jsonl): a new folder, one of another vault, or one that follows none any more ("roux unshare"). Nothing of it is shared. Start the server again, or bring the previous folder back; "roux clone" with the URL of the vault and this folder makes it follow again.';
  throw new RouxError('INVALID_CONFIG', message);
}
