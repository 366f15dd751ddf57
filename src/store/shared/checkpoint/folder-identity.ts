import { RouxError } from '../../../errors.ts';
import type { FileState, FileSystem } from '../../folder/file-system.ts';
import { readCheckpoint } from './checkpoint.ts';
import type { Checkpoint } from './checkpoint.ts';

/** Whether the folder of a working copy is the one that was compared with the store: a server runs on when another one is put in its place. */
export interface FolderIdentity {
  /** The folder that stands there now is compared with the store; gives its mark. Throws as `mustFollow` does where it came in another one's place. */
  remember(vault: string): Checkpoint | null;
  /** Another one stands there now: nothing that was known of the files holds. False while none is there. */
  readonly isReplaced: boolean;
  /** What is missing in another folder, or in none, was removed by nobody. Throws `VAULT_NOT_FOUND`, to be tried again. */
  check(): void;
}

/** Of no folder yet. */
export function trackFolderIdentity(files: Pick<FileSystem, 'hint' | 'read' | 'stat'>): FolderIdentity {
  let known: FileState | null = null;
  // One that was made where another one was removed a moment ago may have its number.
  const isOne = (now: FileState | null): boolean =>
    known === null || (now !== null && now.ino === known.ino && now.dev === known.dev && now.birthNs === known.birthNs);
  const place: FolderIdentity = {
    remember(vault) {
      const mark = readCheckpoint(files);
      if (place.isReplaced) checkFollows(mark, vault);
      known = files.hint('');
      return mark;
    },
    get isReplaced() {
      const now = files.hint('');
      return now !== null && !isOne(now);
    },
    check() {
      if (isOne(files.hint(''))) return;
      const message = 'The folder of the vault is gone, or another one stands in its place; nothing of it was shared.';
      throw new RouxError('VAULT_NOT_FOUND', message, undefined, { retryable: true });
    },
  };
  return place;
}

/** Throws `INVALID_CONFIG` for a folder that came under the name of a working copy and is none of its vault: it is not meant to go where that one went. */
export function checkFollows(mark: Pick<Checkpoint, 'vault'> | null, vault: string): void {
  if (mark?.vault === vault) return;
  const message =
    'What stands in the place of this working copy bears no mark of being one of its vault (.roux/shared.jsonl): it was made anew, follows another vault, or follows none any more ("roux unshare"). Nothing of it is shared. Start the server again, or bring the former folder back; "roux clone" with the URL of the vault and this folder has it follow again.';
  throw new RouxError('INVALID_CONFIG', message);
}
